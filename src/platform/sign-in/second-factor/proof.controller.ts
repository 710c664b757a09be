import { Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { Get, Post } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { CurrentSession, CurrentUser } from '../../../common/http/current-user.decorator.js';
import { FormInput, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../../common/ports/sessions.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { PasskeyPlaces } from '../forms/passkey-place.service.js';
import { AccountPasswordGuard } from '../passwords/account-password.guard.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { ProofService } from './proof.service.js';
import { ProofInput } from './second-factor.input.js';
import { RequestOptionsAnswer } from './second-factor.wire.js';

const WaysAnswer = z.object({
  password: z.boolean().describe('Whether a password of the user is taken.'),
  code: z.boolean().describe('Whether the user has a second factor.'),
  passkey: z.boolean().describe('Whether the user has a passkey for this host name.'),
  provider: z.string().nullable().describe('Identity provider to log in at again: its name.'),
});

/** Proves to a session who its user is; see `RecentProof`. */
@OcsController('core/proof', { guards: [BasicAuthGuard, AccountPasswordGuard] })
@WorksOnFullDisk()
export class ProofController {
  constructor(
    private readonly proof: ProofService,
    private readonly sessions: SessionsService,
    private readonly passkeys: PasskeysService,
    private readonly places: PasskeyPlaces,
  ) {}

  @Get('', 'Shows how the caller can prove who they are.', WaysAnswer)
  async ways(@Req() request: Request, @CurrentUser() { userId }: Account) {
    return this.proof.waysOf(userId, this.places.find(request));
  }

  @Post('passkey', 'Begins a proof by passkey.', RequestOptionsAnswer)
  async askForPasskey(@Req() request: Request, @CurrentUser() { userId }: Account) {
    return this.passkeys.ask(this.places.of(request), 'proof', userId);
  }

  @Post('', 'Proves that it is still the user, by password, code or passkey.', 'nothing')
  async prove(
    @Req() request: Request,
    @CurrentUser() { userId }: Account,
    @CurrentSession() session: Session | undefined,
    @FormInput(ProofInput) proof: In<typeof ProofInput>,
  ): Promise<void> {
    await this.proof.assert(userId, proof, request);
    if (session !== undefined) {
      await this.sessions.noteProof(session.id);
    }
  }
}
