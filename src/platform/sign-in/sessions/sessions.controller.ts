import { Ip } from '@nestjs/common';
import { z } from 'zod';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { Delete, Get } from '../../../common/contracts/routes.js';
import { CurrentSession, CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Session } from '../../../common/ports/sessions.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { AccountPasswordGuard } from '../passwords/account-password.guard.js';
import type { ListedSession } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

const seconds = z.int().describe('Unix seconds.');

const SessionsAnswer = z.array(
  z.object({
    id: z.int(),
    current: z.boolean(),
    provider: z.string(),
    userAgent: z.string(),
    address: z.string(),
    created: seconds,
    lastSeen: seconds,
  }),
);

const SessionPath = z.object({ id: wholeNumberThat((int) => int.min(0)) });

/** The caller's sessions. */
@OcsController('core/sessions', { guards: [BasicAuthGuard, AccountPasswordGuard] })
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get('', 'Lists the sessions of the caller.', SessionsAnswer)
  async list(@CurrentUser() user: Account, @CurrentSession() current?: Session) {
    const found = await this.sessions.list(user.userId);
    return found.map((session) => toSessionJson(session, current));
  }

  @Delete(':id', 'Ends a session.', 'nothing')
  async revoke(
    @CurrentUser() user: Account,
    @Ip() address: string,
    @Input(SessionPath) { id }: In<typeof SessionPath>,
  ): Promise<void> {
    await this.sessions.revoke(user.userId, id, address);
  }

  /** All except the caller's. */
  @Delete('', 'Ends all other sessions of the caller.', 'nothing')
  async revokeOthers(
    @CurrentUser() user: Account,
    @Ip() address: string,
    @CurrentSession() current?: Session,
  ): Promise<void> {
    await this.sessions.revokeAll(user.userId, address, current?.id);
  }
}

function toSessionJson(session: ListedSession, current: Session | undefined) {
  const { id, provider, userAgent, address, createdSeconds, lastSeenSeconds } = session;
  return {
    id,
    current: id === current?.id,
    provider,
    userAgent,
    address,
    created: createdSeconds,
    lastSeen: lastSeenSeconds,
  };
}
