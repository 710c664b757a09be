import { z } from 'zod';
import { ApiPost } from '../../common/contracts/routes.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../news.wire.js';
import { integer } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { FeedMergingService } from './feed-merging.service.js';

const MergeFeed = z.object({ feedId: integer, into: integer });

/** @see docs/news-api.md "Beyond the specification" */
@NewsController(V1_3, 'feeds')
export class FeedMergingV13Controller {
  constructor(private readonly merging: FeedMergingService) {}

  @ApiPost(':feedId/merge', 'Merges a feed that moved into the one that it became.', DoneOneAnswer)
  async merge(
    @CurrentReader() reader: Reader,
    @Input(MergeFeed) { feedId, into }: In<typeof MergeFeed>,
  ) {
    await this.merging.merge(reader, feedId, into);
    return DONE_ONE;
  }
}
