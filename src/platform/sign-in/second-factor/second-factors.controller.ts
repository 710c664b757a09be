import { Req, Param } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { RecentProof } from '../../../common/auth/recent-proof.js';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { CurrentSession, CurrentUser } from '../../../common/http/current-user.decorator.js';
import { FormInput, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../../common/ports/sessions.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { AccountPasswordGuard } from '../passwords/account-password.guard.js';
import { ProofService } from './proof.service.js';
import { SecondFactorResets } from './second-factor-resets.service.js';
import { ProofInput } from './second-factor.input.js';
import {
  RecoveryCodesAnswer,
  SecondFactorsAnswer,
  toSecondFactorsJson,
  TotpEnrolmentAnswer,
} from './second-factor.wire.js';
import { SecondFactorsService } from './second-factors.service.js';

const FirstCode = z.object({ code: z.string().max(200) });

/** The caller's second factors. */
@OcsController('core/secondfactors', { guards: [BasicAuthGuard, AccountPasswordGuard] })
export class SecondFactorsController {
  constructor(
    private readonly factors: SecondFactorsService,
    private readonly proof: ProofService,
    private readonly recentProof: RecentProof,
  ) {}

  @Get('', 'Shows the second factors of the caller.', SecondFactorsAnswer)
  async show(@CurrentUser() { userId }: Account) {
    return toSecondFactorsJson(await this.factors.show(userId));
  }

  @Post('totp', 'Begins to set up an authenticator app.', TotpEnrolmentAnswer)
  async begin(@CurrentUser() { userId }: Account, @CurrentSession() session: Session | undefined) {
    this.recentProof.assert(session);
    return this.factors.beginTotp(userId);
  }

  /** The only response with the recovery codes. */
  @Post('totp/confirm', 'Confirms the authenticator app by its first code.', RecoveryCodesAnswer)
  async confirm(
    @CurrentUser() { userId }: Account,
    @FormInput(FirstCode) { code }: In<typeof FirstCode>,
  ) {
    return { recoveryCodes: await this.factors.confirmTotp(userId, code) };
  }

  @Delete('totp', 'Removes the authenticator app.', 'nothing')
  async remove(
    @Req() request: Request,
    @CurrentUser() { userId }: Account,
    @FormInput(ProofInput) proof: In<typeof ProofInput>,
  ): Promise<void> {
    await this.proof.assert(userId, proof, request);
    await this.factors.removeTotp(userId);
  }

  /** The only response with the recovery codes. */
  @Post('recoverycodes', 'Replaces the recovery codes.', RecoveryCodesAnswer)
  async renewCodes(
    @Req() request: Request,
    @CurrentUser() { userId }: Account,
    @FormInput(ProofInput) proof: In<typeof ProofInput>,
  ) {
    await this.proof.assert(userId, proof, request);
    return { recoveryCodes: await this.factors.renewRecoveryCodes(userId) };
  }
}

/** Second factors of other users, for administrators. */
@OcsController('cloud/users/:userId/secondfactors', { guards: [BasicAuthGuard, AdminGuard] })
export class SecondFactorAdminController {
  constructor(private readonly resets: SecondFactorResets) {}

  @Delete('', 'Removes the second factors of a user who has lost them.', 'nothing')
  async reset(@CurrentUser() account: Account, @Param('userId') userId: string): Promise<void> {
    await this.resets.resetOfOther(account, userId);
  }
}
