import { Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { RecentProof } from '../../../common/auth/recent-proof.js';
import { Delete, Get, Post, Put } from '../../../common/contracts/routes.js';
import { CurrentSession, CurrentUser } from '../../../common/http/current-user.decorator.js';
import { FormInput, Input, type In } from '../../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../../common/ports/sessions.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { PasskeyPlaces } from '../forms/passkey-place.service.js';
import { AccountPasswordGuard } from '../passwords/account-password.guard.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { ProofService } from './proof.service.js';
import { ProofInput, PasskeyName, RegistrationInput } from './second-factor.input.js';
import {
  RecoveryCodesAnswer,
  CreationOptionsAnswer,
  PasskeysAnswer,
  toPasskeyJson,
} from './second-factor.wire.js';

const PasskeyPath = z.object({ id: wholeNumberThat((int) => int.min(0)) });
const NewPasskeyInput = z.object({ name: PasskeyName, credential: RegistrationInput });
const NameInput = z.object({ name: PasskeyName });

/** The caller's passkeys. */
@OcsController('core/passkeys', { guards: [BasicAuthGuard, AccountPasswordGuard] })
export class PasskeysController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly places: PasskeyPlaces,
    private readonly proof: ProofService,
    private readonly recentProof: RecentProof,
  ) {}

  @Get('', 'Lists the passkeys of the caller.', PasskeysAnswer)
  async list(@Req() request: Request, @CurrentUser() { userId }: Account) {
    const place = this.places.find(request);
    return (await this.passkeys.list(userId)).map((passkey) => toPasskeyJson(passkey, place));
  }

  @Post('options', 'Begins to add a passkey.', CreationOptionsAnswer)
  async begin(
    @Req() request: Request,
    @CurrentUser() account: Account,
    @CurrentSession() session: Session | undefined,
  ) {
    this.recentProof.assert(session);
    return this.passkeys.beginRegistration(account, this.places.of(request));
  }

  /** The only response with the recovery codes. */
  @Post('', 'Adds a passkey.', RecoveryCodesAnswer)
  async add(
    @Req() request: Request,
    @CurrentUser() { userId }: Account,
    @CurrentSession() session: Session | undefined,
    @FormInput(NewPasskeyInput) { name, credential }: In<typeof NewPasskeyInput>,
  ) {
    this.recentProof.assert(session);
    const place = this.places.of(request);
    return { recoveryCodes: await this.passkeys.register(userId, place, name, credential) };
  }

  @Put(':id', 'Renames a passkey.', 'nothing')
  async rename(
    @CurrentUser() { userId }: Account,
    @Input(PasskeyPath) { id }: In<typeof PasskeyPath>,
    @FormInput(NameInput) { name }: In<typeof NameInput>,
  ): Promise<void> {
    await this.passkeys.rename(userId, id, name);
  }

  @Delete(':id', 'Removes a passkey.', 'nothing')
  async remove(
    @Req() request: Request,
    @CurrentUser() { userId }: Account,
    @Input(PasskeyPath) { id }: In<typeof PasskeyPath>,
    @FormInput(ProofInput) proof: In<typeof ProofInput>,
  ): Promise<void> {
    await this.proof.assert(userId, proof, request);
    await this.passkeys.remove(userId, id);
  }
}
