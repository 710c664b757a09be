import { Delete, Get, Ip, Post, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { ChangingGet } from '../../common/auth/changing-get.decorator.js';
import { CurrentUser, type IdentifiedRequest } from '../../common/auth/current-user.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { AccountPasswordRequired, AppPasswordRequired } from '../platform.errors.js';
import { AccountPasswordGuard } from './account-password.guard.js';
import type { AppPasswordOwner } from './app-passwords.repository.js';
import { AppPasswordsService } from './app-passwords.service.js';
import { clientNameOf } from './client-name.js';
import { UsedAppPassword } from './used-app-password.js';

/** What programs do about their own password: swap the user's for one, renew it, give it back. */
@OcsController('core')
export class OwnAppPasswordController {
  constructor(
    private readonly appPasswords: AppPasswordsService,
    private readonly usedAppPassword: UsedAppPassword,
  ) {}

  @Get('getapppassword')
  @ChangingGet()
  @UseGuards(AccountPasswordGuard)
  async swap(
    @CurrentUser() user: Account,
    @Ip() address: string,
    @Req() request: IdentifiedRequest,
  ) {
    // A page makes one by POST, which other sites cannot bring about.
    if (request.session !== undefined) {
      throw new AccountPasswordRequired();
    }
    const { token } = await this.appPasswords.add(user.userId, clientNameOf(request), address);
    return { apppassword: token };
  }

  @Post('apppassword/rotate')
  async renew(@Req() request: Request) {
    return { apppassword: await this.appPasswords.rotate(await this.#used(request)) };
  }

  @Delete('apppassword')
  async giveBack(@Req() request: Request, @Ip() address: string): Promise<void> {
    const { userId, appPasswordId } = await this.#used(request);
    await this.appPasswords.revoke(userId, appPasswordId, address);
  }

  async #used(request: Request): Promise<AppPasswordOwner> {
    const used = await this.usedAppPassword.in(request);
    if (used === null) {
      throw new AppPasswordRequired();
    }
    return used;
  }
}
