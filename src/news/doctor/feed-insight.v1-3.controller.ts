import { Get } from '@nestjs/common';
import type { z } from 'zod';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { ApiPost } from '../../common/http/api-post.decorator.js';
import { Input } from '../../common/http/input.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { FeedPreviewService } from '../preview/feed-preview.service.js';
import { FeedStatusService } from './feed-status.service.js';
import { PreviewFeed } from '../api/inputs.js';
import { FeedPath } from '../parameters.js';
import { NewsController, V1_3 } from '../levels.js';
import { toPreviewJson, toStatusJson } from '../api/wire.js';
import {
  ConcurrencyLimit,
  type CostlyWork,
} from '../../common/http/concurrency-limit.decorator.js';

/** Each asks a publisher, or several, and waits. */
const PREVIEWS: CostlyWork = { name: 'previews of feeds', most: 4 };

/**
 * A look at a feed before and after subscribing to it. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'feeds')
export class FeedInsightV13Controller {
  constructor(
    private readonly previews: FeedPreviewService,
    private readonly statuses: FeedStatusService,
  ) {}

  @ApiPost('preview')
  @ConcurrencyLimit(PREVIEWS)
  async preview(
    @CurrentUser() user: Account,
    @Input(PreviewFeed) { url }: z.output<typeof PreviewFeed>,
  ): Promise<object> {
    return toPreviewJson(await this.previews.preview(user.userId, url));
  }

  @Get(':feedId/status')
  async status(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: z.output<typeof FeedPath>,
  ): Promise<object> {
    return toStatusJson(feedId, await this.statuses.of(user.userId, feedId));
  }
}
