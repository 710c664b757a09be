import type { z } from 'zod';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { ApiPost } from '../../../common/http/api-post.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { FeedPreviewService } from './feed-preview.service.js';
import { PreviewFeed } from './preview.input.js';
import { toPreviewJson, PreviewAnswer } from './preview.wire.js';
import { Operation } from '../../../common/contracts/operation.decorator.js';

/** Each fetches one or several documents of publishers. */

/**
 * A look at a feed before subscribing to it. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'feeds')
export class PreviewV13Controller {
  constructor(private readonly previews: FeedPreviewService) {}

  @ApiPost('preview')
  @ConcurrencyLimit('previews of feeds')
  @Operation('Shows a feed before a subscription.', PreviewAnswer)
  async preview(
    @CurrentUser() user: Account,
    @Input(PreviewFeed) { url, access }: z.output<typeof PreviewFeed>,
  ): Promise<object> {
    return toPreviewJson(await this.previews.preview(user.userId, url, access));
  }
}
