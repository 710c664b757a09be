import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { sendJsonList } from '../../http/json-list-stream.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.guard.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import { DONE_MANY, DONE_ONE, DoneOneAnswer, DoneManyAnswer } from '../../news.wire.js';
import { ItemPath } from '../../parameters.js';
import type { ItemFlag } from './flag-changes.repository.js';
import {
  ListChangedItems,
  ListItems,
  ManyItems,
  ReadAllUpTo,
  type NamedItems,
} from './items.input.js';
import { ItemsService } from './items.service.js';
import { itemJson, ItemsAnswer } from './items.wire.js';

/** @see docs/spec/feed-reader-api.md "Items" */
@NewsController(EVERY_LEVEL, 'items')
@WorksOnFullDisk()
export class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get('', 'Lists items.', ItemsAnswer)
  async list(
    @CurrentUser() user: Account,
    @Input(ListItems) { selection, page }: In<typeof ListItems>,
    @Res() response: Response,
  ): Promise<void> {
    const batches = await this.items.list(user.userId, selection, page);
    await sendJsonList(response, 'items', batches, itemJson);
  }

  @Get('updated', 'Lists items that are new or changed since a time.', ItemsAnswer)
  async listChanged(
    @CurrentUser() user: Account,
    @Input(ListChangedItems) { selection, sinceMicros }: In<typeof ListChangedItems>,
    @Res() response: Response,
  ): Promise<void> {
    const batches = await this.items.changedSince(user.userId, selection, sinceMicros);
    await sendJsonList(response, 'items', batches, itemJson);
  }

  @PutOrPost('read', 'Marks all items read, up to an item.', DoneManyAnswer)
  async markAllRead(
    @CurrentUser() user: Account,
    @Input(ReadAllUpTo) { newestItemId }: In<typeof ReadAllUpTo>,
  ): Promise<typeof DONE_MANY> {
    await this.items.markAllReadUpTo(user.userId, newestItemId);
    return DONE_MANY;
  }

  @PutOrPost(':itemId/read', 'Marks an item read.', DoneOneAnswer)
  markRead(@CurrentUser() user: Account, @Input(ItemPath) { itemId }: In<typeof ItemPath>) {
    return this.#setFlag(user, itemId, 'unread', false);
  }

  @PutOrPost(':itemId/unread', 'Marks an item unread.', DoneOneAnswer)
  markUnread(@CurrentUser() user: Account, @Input(ItemPath) { itemId }: In<typeof ItemPath>) {
    return this.#setFlag(user, itemId, 'unread', true);
  }

  @PutOrPost('read/multiple', 'Marks many items read.', DoneManyAnswer)
  @TakesLargeBodies()
  markManyRead(@CurrentUser() user: Account, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(user, named, 'unread', false);
  }

  @PutOrPost('unread/multiple', 'Marks many items unread.', DoneManyAnswer)
  @TakesLargeBodies()
  markManyUnread(@CurrentUser() user: Account, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(user, named, 'unread', true);
  }

  /** The specification and the reference spell this route differently; both are accepted. */
  @PutOrPost(['star/multiple', 'starred/multiple'], 'Stars many items.', DoneManyAnswer)
  @TakesLargeBodies()
  starMany(@CurrentUser() user: Account, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(user, named, 'starred', true);
  }

  @PutOrPost(
    ['unstar/multiple', 'unstarred/multiple'],
    'Removes the stars of many items.',
    DoneManyAnswer,
  )
  @TakesLargeBodies()
  unstarMany(@CurrentUser() user: Account, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(user, named, 'starred', false);
  }

  async #setFlag(
    user: Account,
    itemId: number,
    flag: ItemFlag,
    value: boolean,
  ): Promise<typeof DONE_ONE> {
    await this.items.setFlag(user.userId, itemId, flag, value);
    return DONE_ONE;
  }

  async #setFlags(
    user: Account,
    { ids, pairs }: NamedItems,
    flag: ItemFlag,
    value: boolean,
  ): Promise<typeof DONE_MANY> {
    const named = [...ids, ...(await this.items.idsByGuidHash(user.userId, pairs))];
    await this.items.setFlags(user.userId, named, flag, value);
    return DONE_MANY;
  }
}
