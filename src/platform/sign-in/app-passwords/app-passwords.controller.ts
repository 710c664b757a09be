import { Ip, Req, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { ChangingGet } from '../../../common/auth/changing-get.decorator.js';
import { InScope, ReadsByPost } from '../../../common/auth/in-scope.decorator.js';
import { RecentProof } from '../../../common/auth/recent-proof.js';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { clientNameOf } from '../../../common/http/client-name.js';
import {
  CurrentSession,
  CurrentUser,
  CurrentCredential,
  type IdentifiedRequest,
} from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { looseBoolean, orElse, wholeNumberThat } from '../../../common/http/loose-inputs.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import { APP_PASSWORD_SCOPES } from '../../../common/ports/app-password-scope.js';
import type { Session } from '../../../common/ports/sessions.js';
import type { Account, Credential } from '../../../common/ports/user-directory.js';
import { AccountPasswordRequired, AppPasswordRequired } from '../../platform.errors.js';
import { AccountPasswordGuard } from '../passwords/account-password.guard.js';
import { AppPasswordsService, type AppPassword } from './app-passwords.service.js';

const seconds = z.int().describe('Unix seconds.');
const scope = z.enum(APP_PASSWORD_SCOPES);
const expires = seconds.nullable().describe('Unix seconds; null: until it is revoked.');

const AppPasswordsAnswer = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    administration: z.boolean(),
    fever: z.boolean(),
    created: seconds,
    lastUsed: seconds.nullable(),
    scope,
    expires,
  }),
);

const NewAppPasswordAnswer = z.object({
  id: z.int(),
  name: z.string(),
  administration: z.boolean(),
  fever: z.boolean(),
  scope,
  expires,
  loginName: z.string(),
  token: z.string().describe('Shown only now.'),
});

const SwappedPasswordAnswer = z.object({ apppassword: z.string() });

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
  id: wholeNumberThat((int) => int.min(0)),
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

/** A program's own app password: get one for the account password, rotate it, revoke it. */
@OcsController('core')
export class OwnAppPasswordController {
  constructor(private readonly appPasswords: AppPasswordsService) {}

  @Get(
    'getapppassword',
    'Exchanges the password of the account for an app password.',
    SwappedPasswordAnswer,
  )
  @ChangingGet()
  @UseGuards(AccountPasswordGuard)
  async swap(
    @CurrentUser() user: Account,
    @Ip() address: string,
    @Req() request: IdentifiedRequest,
  ) {
    // Only without a session: sessions use POST, which has CSRF protection.
    if (request.session !== undefined) {
      throw new AccountPasswordRequired();
    }
    const { token } = await this.appPasswords.add(user.userId, clientNameOf(request), {
      clientAddress: address,
    });
    return { apppassword: token };
  }

  @Post('apppassword/rotate', 'Replaces the app password of the request.', SwappedPasswordAnswer)
  @InScope('any')
  @ReadsByPost()
  async renew(@CurrentUser() user: Account, @CurrentCredential() used: Credential | undefined) {
    return { apppassword: await this.appPasswords.rotate(user.userId, idOf(used)) };
  }

  @Delete('apppassword', 'Revokes the app password of the request.', 'nothing')
  @InScope('any')
  @ReadsByPost()
  async giveBack(
    @CurrentUser() user: Account,
    @CurrentCredential() used: Credential | undefined,
    @Ip() address: string,
  ): Promise<void> {
    await this.appPasswords.revoke(user.userId, idOf(used), address);
  }
}

/** @throws AppPasswordRequired */
function idOf(used: Credential | undefined): number {
  if (used?.kind !== 'app password') {
    throw new AppPasswordRequired();
  }
  return used.id;
}
