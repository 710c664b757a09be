import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ItemsService } from './items.service.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { GuidHashPath } from './items.input.js';
import { NewsController, V1_2 } from '../../http/levels.js';

/**
 * Stars of level v1-2, which names an item by its feed and the hash of its guid.
 *
 * @see docs/spec/feed-reader-api.md "Level v1-2 differences"
 */
@NewsController(V1_2, 'items/:feedId/:guidHash')
@WorksOnFullDisk()
export class ItemsV12Controller {
  constructor(private readonly items: ItemsService) {}

  @PutOrPost('star', 'Stars an item.', DoneOneAnswer)
  star(
    @CurrentUser() user: Account,
    @Input(GuidHashPath) pair: In<typeof GuidHashPath>,
  ): Promise<typeof DONE_ONE> {
    return this.#setStarred(user, pair, true);
  }

  @PutOrPost('unstar', 'Removes the star of an item.', DoneOneAnswer)
  unstar(
    @CurrentUser() user: Account,
    @Input(GuidHashPath) pair: In<typeof GuidHashPath>,
  ): Promise<typeof DONE_ONE> {
    return this.#setStarred(user, pair, false);
  }

  async #setStarred(
    user: Account,
    pair: In<typeof GuidHashPath>,
    starred: boolean,
  ): Promise<typeof DONE_ONE> {
    const itemId = await this.items.idByGuidHash(user.userId, pair);
    await this.items.setFlag(user.userId, itemId, 'starred', starred);
    return DONE_ONE;
  }
}
