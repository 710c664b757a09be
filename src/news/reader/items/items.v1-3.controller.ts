import { Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { ItemPath } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ItemsService } from './items.service.js';
import { OneItemAnswer } from './items.wire.js';

/**
 * One item; and stars of level v1-3, which names an item by its id.
 *
 * @see docs/spec/feed-reader-api.md "Items"
 */
@NewsController(V1_3, 'items/:itemId')
@WorksOnFullDisk()
export class ItemsV13Controller {
  constructor(private readonly items: ItemsService) {}

  /** Beyond the specification. */
  @Get('', 'Shows an item.', OneItemAnswer)
  async read(@CurrentReader() reader: Reader, @Input(ItemPath) { itemId }: In<typeof ItemPath>) {
    return this.items.one(reader, itemId);
  }

  @PutOrPost('star', 'Stars an item.', DoneOneAnswer)
  async star(@CurrentReader() reader: Reader, @Input(ItemPath) { itemId }: In<typeof ItemPath>) {
    await this.items.setFlag(reader, itemId, 'starred', true);
    return DONE_ONE;
  }

  @PutOrPost('unstar', 'Removes the star of an item.', DoneOneAnswer)
  async unstar(@CurrentReader() reader: Reader, @Input(ItemPath) { itemId }: In<typeof ItemPath>) {
    await this.items.setFlag(reader, itemId, 'starred', false);
    return DONE_ONE;
  }
}
