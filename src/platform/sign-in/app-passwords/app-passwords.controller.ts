import { Ip } from '@nestjs/common';
import { z } from 'zod';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { APP_PASSWORD_SCOPES } from '../../../common/ports/app-password-scope.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { CurrentSession, CurrentUser } from '../../../common/http/current-user.decorator.js';
import { RecentProof } from '../../../common/auth/recent-proof.js';
import type { Session } from '../../../common/ports/sessions.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { looseBoolean, orElse } from '../../../common/http/loose-inputs.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { AccountPasswordGuard } from '../passwords/account-password.guard.js';
import { AppPasswordsService, type AppPassword } from './app-passwords.service.js';
import { AppPasswordsAnswer, NewAppPasswordAnswer } from './app-passwords.wire.js';

/** The year 9999. */
const LATEST_SECONDS = 253_370_764_800;

const NewAppPassword = z.object({
  name: z.string(),
  administration: orElse(looseBoolean('must be true or false'), false),
  fever: orElse(looseBoolean('must be true or false'), false),
  /** Default: `reader` with a Fever key, otherwise `everything`. */
  scope: z.enum(APP_PASSWORD_SCOPES).optional(),
  /** Unix seconds. */
  expires: z.coerce.number().int().min(0).max(LATEST_SECONDS).optional(),
});
const AppPasswordPath = z.object({
  id: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
});

/** The caller's app passwords. */
@OcsController('core/apppasswords', { guards: [BasicAuthGuard, AccountPasswordGuard] })
export class AppPasswordsController {
  constructor(
    private readonly appPasswords: AppPasswordsService,
    private readonly recentProof: RecentProof,
  ) {}

  @Get('', 'Lists the app passwords of the caller.', AppPasswordsAnswer)
  async list(@CurrentUser() user: Account) {
    const found = await this.appPasswords.list(user.userId);
    return found.map((appPassword) => toAppPasswordJson(appPassword));
  }

  /** The only response with the token. */
  @Post('', 'Creates an app password.', NewAppPasswordAnswer)
  async add(
    @CurrentUser() user: Account,
    @CurrentSession() session: Session | undefined,
    @Ip() address: string,
    @Input(NewAppPassword) wanted: In<typeof NewAppPassword>,
  ) {
    this.recentProof.assert(session);
    const { name, administration, fever, expires } = wanted;
    const { id, token, scope, expiresAt } = await this.appPasswords.add(user.userId, name, {
      clientAddress: address,
      mayAdminister: administration,
      fever,
      scope: wanted.scope,
      expiresAt: expires === undefined ? undefined : new Date(expires * 1000),
    });
    return {
      id,
      name: name.trim(),
      administration,
      fever,
      scope,
      expires: expiresAt && secondsOf(expiresAt),
      loginName: user.userId,
      token,
    };
  }

  @Delete(':id', 'Revokes an app password.', 'nothing')
  async revoke(
    @CurrentUser() user: Account,
    @Ip() address: string,
    @Input(AppPasswordPath) { id }: In<typeof AppPasswordPath>,
  ): Promise<void> {
    await this.appPasswords.revoke(user.userId, id, address);
  }
}

function toAppPasswordJson(appPassword: AppPassword) {
  const { id, name, mayAdminister, hasFeverKey, createdAt, lastUsedAt, scope, expiresAt } =
    appPassword;
  return {
    id,
    name,
    administration: mayAdminister,
    fever: hasFeverKey,
    created: secondsOf(createdAt),
    lastUsed: lastUsedAt && secondsOf(lastUsedAt),
    scope,
    expires: expiresAt && secondsOf(expiresAt),
  };
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
