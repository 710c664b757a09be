import { Patch } from '@nestjs/common';
import type { z } from 'zod';
import { CurrentUser } from '../../../common/auth/current-user.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { FeedSettingsService } from './feed-settings.service.js';
import { ChangeFeedSettings } from './feeds.input.js';
import { toFeedJson } from './feeds.wire.js';
import { EVERY_LEVEL, NewsController } from '../../levels.js';

/** @see docs/news-api.md "Beyond the specification" */
@NewsController(EVERY_LEVEL, 'feeds/:feedId')
export class FeedSettingsController {
  constructor(private readonly settings: FeedSettingsService) {}

  @Patch()
  async change(
    @CurrentUser() user: Account,
    @Input(ChangeFeedSettings) { feedId, settings }: z.output<typeof ChangeFeedSettings>,
  ): Promise<object> {
    return { feeds: [toFeedJson(await this.settings.change(user.userId, feedId, settings))] };
  }
}
