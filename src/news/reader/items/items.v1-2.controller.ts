import type { z } from 'zod';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { Input } from '../../../common/http/input.decorator.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ItemsService } from './items.service.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { GuidHashPath } from './items.input.js';
import { NewsController, V1_2 } from '../../http/levels.js';
import { Operation } from '../../../common/contracts/operation.decorator.js';

/**
 * Stars of level v1-2, which names an item by its feed and the hash of its guid.
 *
 * @see docs/spec/feed-reader-api.md "Level v1-2 differences"
 */
@NewsController(V1_2, 'items/:feedId/:guidHash')
@WorksOnFullDisk()
export class ItemsV12Controller {
  constructor(private readonly items: ItemsService) {}

  @PutOrPost('star')
  @Operation('Stars an item.', DoneOneAnswer)
  star(
    @CurrentUser() user: Account,
    @Input(GuidHashPath) pair: z.output<typeof GuidHashPath>,
  ): Promise<typeof DONE_ONE> {
    return this.#setStarred(user, pair, true);
  }

  @PutOrPost('unstar')
  @Operation('Removes the star of an item.', DoneOneAnswer)
  unstar(
    @CurrentUser() user: Account,
    @Input(GuidHashPath) pair: z.output<typeof GuidHashPath>,
  ): Promise<typeof DONE_ONE> {
    return this.#setStarred(user, pair, false);
  }

  async #setStarred(
    user: Account,
    pair: z.output<typeof GuidHashPath>,
    starred: boolean,
  ): Promise<typeof DONE_ONE> {
    const itemId = await this.items.idByGuidHash(user.userId, pair);
    await this.items.setFlag(user.userId, itemId, 'starred', starred);
    return DONE_ONE;
  }
}
