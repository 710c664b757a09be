import { Delete, Get } from '@nestjs/common';
import type { z } from 'zod';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { ApiPost } from '../../../common/http/api-post.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { FiltersService } from './filters.service.js';
import type { Filter } from './filters.repository.js';
import { SaveFilter } from './filters.input.js';
import { toFilterJson, FilterAnswer } from './filters.wire.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { FeedPath } from '../../parameters.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { Operation } from '../../../common/contracts/operation.decorator.js';

/**
 * The filter of a feed: an extension of the reference.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'feeds/:feedId/filter')
export class FiltersV13Controller {
  constructor(private readonly filters: FiltersService) {}

  @Get()
  @Operation('Shows the filter of a feed.', FilterAnswer)
  async show(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: z.output<typeof FeedPath>,
  ): Promise<object> {
    return answer(feedId, await this.filters.find(user.userId, feedId));
  }

  @ApiPost()
  @Operation('Saves the filter of a feed.', FilterAnswer)
  async save(
    @CurrentUser() user: Account,
    @Input(SaveFilter) { feedId, keywords }: z.output<typeof SaveFilter>,
  ): Promise<object> {
    return answer(feedId, await this.filters.save(user.userId, feedId, keywords));
  }

  @Delete()
  @Operation('Removes the filter of a feed.', DoneOneAnswer)
  async remove(
    @CurrentUser() user: Account,
    @Input(FeedPath) { feedId }: z.output<typeof FeedPath>,
  ): Promise<typeof DONE_ONE> {
    await this.filters.remove(user.userId, feedId);
    return DONE_ONE;
  }
}

function answer(feedId: number, filter: Filter | null): object {
  return { filter: toFilterJson(feedId, filter) };
}
