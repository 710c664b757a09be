import { Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { ItemPath } from '../../parameters.js';
import type { ItemJson } from './items.repository.js';
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
  async read(
    @CurrentUser() user: Account,
    @Input(ItemPath) { itemId }: In<typeof ItemPath>,
  ): Promise<ItemJson> {
    return this.items.one(user.userId, itemId);
  }

  @PutOrPost('star', 'Stars an item.', DoneOneAnswer)
  async star(
    @CurrentUser() user: Account,
    @Input(ItemPath) { itemId }: In<typeof ItemPath>,
  ): Promise<typeof DONE_ONE> {
    await this.items.setFlag(user.userId, itemId, 'starred', true);
    return DONE_ONE;
  }

  @PutOrPost('unstar', 'Removes the star of an item.', DoneOneAnswer)
  async unstar(
    @CurrentUser() user: Account,
    @Input(ItemPath) { itemId }: In<typeof ItemPath>,
  ): Promise<typeof DONE_ONE> {
    await this.items.setFlag(user.userId, itemId, 'starred', false);
    return DONE_ONE;
  }
}
