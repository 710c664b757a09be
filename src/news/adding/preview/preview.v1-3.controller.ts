import { ApiPost } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { FeedPreviewService } from './feed-preview.service.js';
import { PreviewFeed } from './preview.input.js';
import { toPreviewJson, PreviewAnswer } from './preview.wire.js';

/** Each fetches one or several documents of publishers. */

/**
 * A look at a feed before subscribing to it. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'feeds')
export class PreviewV13Controller {
  constructor(private readonly previews: FeedPreviewService) {}

  @ApiPost('preview', 'Shows a feed before a subscription.', PreviewAnswer)
  @ConcurrencyLimit('previews of feeds')
  async preview(
    @CurrentUser() user: Account,
    @Input(PreviewFeed) { url, access }: In<typeof PreviewFeed>,
  ): Promise<object> {
    return toPreviewJson(await this.previews.preview(user.userId, url, access));
  }
}
