import { ApiPost, Delete, Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { FiltersService } from './filters.service.js';
import type { Filter } from './filters.repository.js';
import { SaveFilter } from './filters.input.js';
import { toFilterJson, FilterAnswer } from './filters.wire.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { FeedPath } from '../../parameters.js';
import { NewsController, V1_3 } from '../../http/levels.js';

/**
 * The filter of a feed: an extension of the reference.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'feeds/:feedId/filter')
export class FiltersV13Controller {
  constructor(private readonly filters: FiltersService) {}

  @Get('', 'Shows the filter of a feed.', FilterAnswer)
  async show(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ): Promise<object> {
    return answer(feedId, await this.filters.find(user.userId, feedId));
  }

  @ApiPost('', 'Saves the filter of a feed.', FilterAnswer)
  async save(
    @CurrentUser() user: Account,
    @Input(SaveFilter) { feedId, keywords }: In<typeof SaveFilter>,
  ): Promise<object> {
    return answer(feedId, await this.filters.save(user.userId, feedId, keywords));
  }

  @Delete('', 'Removes the filter of a feed.', DoneOneAnswer)
  async remove(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
  ): Promise<typeof DONE_ONE> {
    await this.filters.remove(user.userId, feedId);
    return DONE_ONE;
  }
}

function answer(feedId: number, filter: Filter | null): object {
  return { filter: toFilterJson(feedId, filter) };
}
