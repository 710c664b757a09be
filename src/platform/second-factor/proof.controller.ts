import { Get, Ip, Post } from '@nestjs/common';
import { z } from 'zod';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { CurrentSession, CurrentUser } from '../../common/auth/current-user.decorator.js';
import { Operation } from '../../common/contracts/operation.decorator.js';
import { FormInput } from '../../common/http/input.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../common/ports/sessions.js';
import type { Account } from '../../common/ports/user-directory.js';
import { AccountPasswordGuard } from '../passwords/account-password.guard.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { ProofInput } from './proof.input.js';
import { ProofService } from './proof.service.js';

const WaysAnswer = z.object({
  code: z.boolean().describe('Whether the user has a second factor.'),
  provider: z.string().nullable().describe('Identity provider to log in at again: its name.'),
});

/** Proves to a session who its user is; see `RecentProof`. */
@OcsController('core/proof', { guards: [BasicAuthGuard, AccountPasswordGuard] })
export class ProofController {
  constructor(
    private readonly proof: ProofService,
    private readonly sessions: SessionsService,
  ) {}

  @Get()
  @Operation('Shows how the caller can prove who they are, besides the password.', WaysAnswer)
  async ways(@CurrentUser() { userId }: Account) {
    return this.proof.waysOf(userId);
  }

  @Post()
  @Operation('Proves that it is still the user, by password or code.', 'nothing')
  async prove(
    @CurrentUser() { userId }: Account,
    @CurrentSession() session: Session | undefined,
    @Ip() address: string,
    @FormInput(ProofInput) proof: z.output<typeof ProofInput>,
  ): Promise<void> {
    await this.proof.assert(userId, proof, address);
    if (session !== undefined) {
      await this.sessions.noteProof(session.id);
    }
  }
}
