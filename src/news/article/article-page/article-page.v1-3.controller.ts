import { ApiPost } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { ItemPath } from '../../parameters.js';
import { ArticlePageService } from './article-page.service.js';
import { FullTextAnswer } from './article-page.wire.js';

/** Each fetches a page of a publisher. */

/**
 * The full text of one article: an extension of the reference.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'items/:itemId/full-text')
export class ArticlePageV13Controller {
  constructor(private readonly pages: ArticlePageService) {}

  @ApiPost('', 'Fetches the full text of an article.', FullTextAnswer)
  @ConcurrencyLimit('full texts')
  async read(
    @CurrentUser() user: Account,
    @Input(ItemPath) { itemId }: In<typeof ItemPath>,
  ): Promise<{ body: string }> {
    return { body: await this.pages.read(user.userId, itemId) };
  }
}
