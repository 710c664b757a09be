import { Ip, Req, UseGuards } from '@nestjs/common';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { ChangingGet } from '../../../common/auth/changing-get.decorator.js';
import {
  CurrentCredential,
  CurrentUser,
  type IdentifiedRequest,
} from '../../../common/http/current-user.decorator.js';
import { InScope, ReadsByPost } from '../../../common/auth/in-scope.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account, Credential } from '../../../common/ports/user-directory.js';
import { AccountPasswordRequired, AppPasswordRequired } from '../../platform.errors.js';
import { AccountPasswordGuard } from '../passwords/account-password.guard.js';
import { AppPasswordsService } from './app-passwords.service.js';
import { clientNameOf } from '../../../common/http/client-name.js';
import { SwappedPasswordAnswer } from './app-passwords.wire.js';

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
