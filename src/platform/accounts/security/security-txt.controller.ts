import { Controller, Get, NotFoundException, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Clock } from '../../../common/clock.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { AccountsSettings } from '../accounts.settings.js';

/** RFC 9116 recommends less than a year. */
const EXPIRES_DAYS = 180;

/** Contact for reporting vulnerabilities, if the operator has set it (RFC 9116). */
@Controller('.well-known/security.txt')
@Public()
export class SecurityTxtController {
  constructor(
    private readonly settings: AccountsSettings,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
  ) {}

  @Get()
  show(@Res() response: Response): void {
    const { securityContact } = this.settings;
    if (securityContact.length === 0) {
      throw new NotFoundException();
    }
    const expires = new Date((this.clock.nowSeconds() + EXPIRES_DAYS * DAY_SECONDS) * 1000);
    // A day at a time, so that the file can be cached.
    expires.setUTCHours(0, 0, 0, 0);
    const lines = [
      ...securityContact.map((contact) => `Contact: ${contact}`),
      `Expires: ${expires.toISOString()}`,
      `Canonical: ${this.address.of('/.well-known/security.txt')}`,
    ];
    response
      .set({ 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=3600' })
      .send(`${lines.join('\n')}\n`);
  }
}
