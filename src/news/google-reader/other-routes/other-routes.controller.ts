import {
  Req,
  Controller,
  UseFilters,
  UseGuards,
  Get as NestGet,
  NotFoundException,
  Post,
} from '@nestjs/common';
import type { Request } from 'express';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser, Public } from '../../../common/http/current-user.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { googleTokenOf, GoogleLoginGuard } from '../http/google-login.guard.js';
import {
  PlainText,
  OK_TEXT,
  GoogleReaderController,
  PlainErrorFilter,
} from '../http/google-reader-controller.decorator.js';

/** Clients expect this length. */
const EDIT_TOKEN_CHARACTERS = 57;

export const UserInfoAnswer = z.object({
  userId: z.string(),
  userName: z.string(),
  userProfileId: z.string(),
  userEmail: z.string(),
});

export const PreferencesAnswer = z.object({ prefs: z.array(z.unknown()).max(0) });

export const StreamPreferencesAnswer = z.object({ streamprefs: z.object({}) });

export const FriendsAnswer = z.object({ friends: z.array(z.unknown()).max(0) });

/**
 * The user's name, the token of edits, empty lists that old clients still request, and 404 for unknown
 * routes.
 */
@GoogleReaderController()
export class OtherRoutesController {
  @Get('user-info', 'Tells who is logged in.', UserInfoAnswer)
  userInfo(@CurrentUser() { userId }: Account) {
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
  @PlainText()
  editToken(@Req() request: Request) {
    const token = googleTokenOf(request) ?? '';
    return hash('sha256', `edit token\0${token}`, 'hex').slice(0, EDIT_TOKEN_CHARACTERS);
  }

  @Get('preference/list', 'An empty list, for old clients.', PreferencesAnswer)
  preferences() {
    return { prefs: [] };
  }

  @Get('preference/stream/list', 'An empty list, for old clients.', StreamPreferencesAnswer)
  streamPreferences() {
    return { streamprefs: {} };
  }

  @Get('friend/list', 'An empty list, for old clients.', FriendsAnswer)
  friends() {
    return { friends: [] };
  }

  @NestGet('*rest')
  unknown(@Req() { path }: Request) {
    throw new NotFoundException(`There is no route GET ${path}.`);
  }

  @Post('*rest')
  unknownEdit(@Req() { path }: Request) {
    throw new NotFoundException(`There is no route POST ${path}.`);
  }
}

/** FreshRSS has these below its path; people and clients use them to test an address. */
@Controller('api/greader.php')
@InScope('reader')
@UseFilters(PlainErrorFilter)
export class CompatibilityController {
  @Get('', 'Tells that the address is right.', OK_TEXT)
  @Public()
  @PlainText()
  greet() {
    return 'OK';
  }

  @Get(
    'check/compatibility',
    'Tells that the address and the token are right.',
    new Media('text/plain', '`PASS`'),
  )
  @UseGuards(GoogleLoginGuard)
  @PlainText()
  check() {
    return 'PASS';
  }
}
