import { Get, Patch } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
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

/** @see docs/news-api.md "Beyond the specification" */
@NewsController(EVERY_LEVEL, 'feeds/:feedId')
export class FeedSettingsController {
  constructor(private readonly settings: FeedSettingsService) {}

  @Patch('', 'Changes how a feed is shown and fetched.', FeedsAnswer)
  async change(
    @CurrentUser() user: Account,
    @Input(ChangeFeedSettings) { feedId, settings }: In<typeof ChangeFeedSettings>,
  ): Promise<object> {
    return { feeds: [toFeedJson(await this.settings.change(user.userId, feedId, settings))] };
  }

  @Get('fetching', 'Shows how a feed is fetched.', FetchSettingsAnswer)
  async fetching(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ): Promise<object> {
    return toFetchSettingsJson(feedId, await this.settings.fetching(user.userId, feedId));
  }

  @Get(
    'item-rules',
    'Shows what each rule of what makes an item itself would have made of the stored entries.',
    ItemRulesAnswer,
  )
  async itemRules(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ): Promise<object> {
    return { rules: await this.settings.previewItemRules(user.userId, feedId) };
  }
}
