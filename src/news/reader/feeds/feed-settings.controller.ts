import { Get, Patch } from '@nestjs/common';
import type { z } from 'zod';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { FeedPath } from '../../parameters.js';
import { FeedSettingsService } from './feed-settings.service.js';
import { ChangeFeedSettings } from './feeds.input.js';
import {
  toFeedJson,
  toFetchSettingsJson,
  FeedsAnswer,
  FetchSettingsAnswer,
  ItemRulesAnswer,
} from './feeds.wire.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.js';
import { Operation } from '../../../common/contracts/operation.decorator.js';

/** @see docs/news-api.md "Beyond the specification" */
@NewsController(EVERY_LEVEL, 'feeds/:feedId')
export class FeedSettingsController {
  constructor(private readonly settings: FeedSettingsService) {}

  @Patch()
  @Operation('Changes how a feed is shown and fetched.', FeedsAnswer)
  async change(
    @CurrentUser() user: Account,
    @Input(ChangeFeedSettings) { feedId, settings }: z.output<typeof ChangeFeedSettings>,
  ): Promise<object> {
    return { feeds: [toFeedJson(await this.settings.change(user.userId, feedId, settings))] };
  }

  @Get('fetching')
  @Operation('Shows how a feed is fetched.', FetchSettingsAnswer)
  async fetching(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: z.output<typeof FeedPath>,
  ): Promise<object> {
    return toFetchSettingsJson(feedId, await this.settings.fetching(user.userId, feedId));
  }

  @Get('item-rules')
  @Operation(
    'Shows what each rule of what makes an item itself would have made of the stored entries.',
    ItemRulesAnswer,
  )
  async itemRules(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: z.output<typeof FeedPath>,
  ): Promise<object> {
    return { rules: await this.settings.previewItemRules(user.userId, feedId) };
  }
}
