import { Header, Req } from '@nestjs/common';
import type { Request } from 'express';
import { hash } from 'node:crypto';
import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { googleTokenOf } from '../http/google-login.guard.js';
import { GoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { UserInfoAnswer } from './account.wire.js';

/** Clients expect this length. */
const EDIT_TOKEN_CHARACTERS = 57;

/** Who is logged in, and the token of edits. */
@GoogleReaderController()
export class AccountController {
  @Get('user-info', 'Tells who is logged in.', UserInfoAnswer)
  userInfo(@CurrentUser() { userId }: Account): object {
    return { userId, userName: userId, userProfileId: userId, userEmail: '' };
  }

  /**
   * No secret, since clients put it into addresses; edits are accepted with any or none. Without a line
   * end, which clients would send as a part of it.
   */
  @Get(
    'token',
    'Sends the token that clients send with edits.',
    new Media('text/plain', '57 characters.'),
  )
  @Header('Content-Type', 'text/plain; charset=utf-8')
  editToken(@Req() request: Request): string {
    const token = googleTokenOf(request) ?? '';
    return hash('sha256', `edit token\0${token}`, 'hex').slice(0, EDIT_TOKEN_CHARACTERS);
  }
}
