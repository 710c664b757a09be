import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { z } from 'zod';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { Input } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ItemsService } from './items.service.js';
import type { ItemFlag } from './flag-changes.repository.js';
import { DONE_MANY, DONE_ONE, DoneOneAnswer, DoneManyAnswer } from '../../news.wire.js';
import { ItemPath } from '../../parameters.js';
import {
  ListChangedItems,
  ListItems,
  ManyItems,
  ReadAllUpTo,
  type NamedItems,
} from './items.input.js';
import { itemJson, ItemsAnswer } from './items.wire.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import { sendJsonList } from '../../http/json-list-stream.js';
import { Operation } from '../../../common/contracts/operation.decorator.js';

/** @see docs/spec/feed-reader-api.md "Items" */
@NewsController(EVERY_LEVEL, 'items')
@WorksOnFullDisk()
export class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get()
  @Operation('Lists items.', ItemsAnswer)
  async list(
    @CurrentUser() user: Account,
    @Input(ListItems) { selection, page }: z.output<typeof ListItems>,
    @Res() response: Response,
  ): Promise<void> {
    const batches = await this.items.list(user.userId, selection, page);
    await sendJsonList(response, 'items', batches, itemJson);
  }

  @Get('updated')
  @Operation('Lists items that are new or changed since a time.', ItemsAnswer)
  async listChanged(
    @CurrentUser() user: Account,
    @Input(ListChangedItems) { selection, sinceMicros }: z.output<typeof ListChangedItems>,
    @Res() response: Response,
  ): Promise<void> {
    const batches = await this.items.changedSince(user.userId, selection, sinceMicros);
    await sendJsonList(response, 'items', batches, itemJson);
  }

  @PutOrPost('read')
  @Operation('Marks all items read, up to an item.', DoneManyAnswer)
  async markAllRead(
    @CurrentUser() user: Account,
    @Input(ReadAllUpTo) { newestItemId }: z.output<typeof ReadAllUpTo>,
  ): Promise<typeof DONE_MANY> {
    await this.items.markAllReadUpTo(user.userId, newestItemId);
    return DONE_MANY;
  }

  @PutOrPost(':itemId/read')
  @Operation('Marks an item read.', DoneOneAnswer)
  markRead(@CurrentUser() user: Account, @Input(ItemPath) { itemId }: z.output<typeof ItemPath>) {
    return this.#setFlag(user, itemId, 'unread', false);
  }

  @PutOrPost(':itemId/unread')
  @Operation('Marks an item unread.', DoneOneAnswer)
  markUnread(@CurrentUser() user: Account, @Input(ItemPath) { itemId }: z.output<typeof ItemPath>) {
    return this.#setFlag(user, itemId, 'unread', true);
  }

  @PutOrPost('read/multiple')
  @TakesLargeBodies()
  @Operation('Marks many items read.', DoneManyAnswer)
  markManyRead(@CurrentUser() user: Account, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(user, named, 'unread', false);
  }

  @PutOrPost('unread/multiple')
  @TakesLargeBodies()
  @Operation('Marks many items unread.', DoneManyAnswer)
  markManyUnread(@CurrentUser() user: Account, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(user, named, 'unread', true);
  }

  /** The specification and the reference spell this route differently; both are accepted. */
  @PutOrPost(['star/multiple', 'starred/multiple'])
  @TakesLargeBodies()
  @Operation('Stars many items.', DoneManyAnswer)
  starMany(@CurrentUser() user: Account, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(user, named, 'starred', true);
  }

  @PutOrPost(['unstar/multiple', 'unstarred/multiple'])
  @TakesLargeBodies()
  @Operation('Removes the stars of many items.', DoneManyAnswer)
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
