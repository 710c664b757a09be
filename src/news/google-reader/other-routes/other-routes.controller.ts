import { Get as NestGet, NotFoundException, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Get } from '../../../common/contracts/routes.js';
import { GoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { PreferencesAnswer, StreamPreferencesAnswer, FriendsAnswer } from './other-routes.wire.js';

/** Lists that Google had and old clients still ask for, which are empty; and 404 for unknown routes. */
@GoogleReaderController()
export class OtherRoutesController {
  @Get('preference/list', 'An empty list, for old clients.', PreferencesAnswer)
  preferences(): object {
    return { prefs: [] };
  }

  @Get('preference/stream/list', 'An empty list, for old clients.', StreamPreferencesAnswer)
  streamPreferences(): object {
    return { streamprefs: {} };
  }

  @Get('friend/list', 'An empty list, for old clients.', FriendsAnswer)
  friends(): object {
    return { friends: [] };
  }

  @NestGet('*rest')
  unknown(@Req() { path }: Request): never {
    throw new NotFoundException(`There is no route GET ${path}.`);
  }

  @Post('*rest')
  unknownEdit(@Req() { path }: Request): never {
    throw new NotFoundException(`There is no route POST ${path}.`);
  }
}
