import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { ItemPath } from '../../parameters.js';
import { ChaptersService, type Chapter } from './chapters.service.js';
import { ChaptersAnswer } from './chapters.wire.js';

/** More than players ask for; fewer than all that are fetched at once. */

/**
 * Chapters of an item's recording: an extension of the reference.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'items/:itemId/chapters')
export class ChaptersV13Controller {
  constructor(private readonly chapters: ChaptersService) {}

  @Get('', 'Lists the chapters of a recording.', ChaptersAnswer)
  @ConcurrencyLimit('lists of chapters')
  async show(
    @CurrentUser() user: Account,
    @Input(ItemPath) { itemId }: In<typeof ItemPath>,
  ): Promise<{ chapters: readonly Chapter[] }> {
    return { chapters: await this.chapters.find(user.userId, itemId) };
  }
}
