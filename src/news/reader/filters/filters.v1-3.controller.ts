import { z } from 'zod';
import { ApiPost, Delete, Get } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { FeedPath, integer, text, unlessAbsent } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { Filter } from './filters.repository.js';
import { FiltersService } from './filters.service.js';

const FilterAnswer = z.object({
  filter: z.object({
    id: z.int().optional(),
    feedId: z.int(),
    titleKeywords: z.string(),
    bodyKeywords: z.string(),
    urlKeywords: z.string(),
  }),
});

const keywords = orElse(text, '');
const KEYWORDS = { titleKeywords: keywords, bodyKeywords: keywords, urlKeywords: keywords };

/** The keywords, or an object `filter` with them, as the answers have it. */
const SaveFilter = z
  .object({ feedId: integer, filter: unlessAbsent(z.object(KEYWORDS)), ...KEYWORDS })
  .transform(({ feedId, filter, ...keywords }) => ({ feedId, keywords: filter ?? keywords }));

/**
 * The filter of a feed: an extension of the reference.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'feeds/:feedId/filter')
export class FiltersV13Controller {
  constructor(private readonly filters: FiltersService) {}

  @Get('', 'Shows the filter of a feed.', FilterAnswer)
  async show(@CurrentReader() reader: Reader, @Input(FeedPath) { feedId }: In<typeof FeedPath>) {
    return answer(feedId, await this.filters.find(reader, feedId));
  }

  @ApiPost('', 'Saves the filter of a feed.', FilterAnswer)
  async save(
    @CurrentReader() reader: Reader,
    @Input(SaveFilter) { feedId, keywords }: In<typeof SaveFilter>,
  ) {
    return answer(feedId, await this.filters.save(reader, feedId, keywords));
  }

  @Delete('', 'Removes the filter of a feed.', DoneOneAnswer)
  async remove(@CurrentReader() reader: Reader, @Input(FeedPath) { feedId }: In<typeof FeedPath>) {
    await this.filters.remove(reader, feedId);
    return DONE_ONE;
  }
}

function answer(feedId: number, filter: Filter | null) {
  return { filter: toFilterJson(feedId, filter) };
}

/**
 * A feed without a filter gets empty texts and no id: clients read the texts unchecked.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
function toFilterJson(feedId: number, filter: Filter | null) {
  return {
    ...(filter === null ? {} : { id: filter.id }),
    feedId,
    titleKeywords: filter?.titleKeywords ?? '',
    bodyKeywords: filter?.bodyKeywords ?? '',
    urlKeywords: filter?.urlKeywords ?? '',
  };
}
