import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { sendJsonList } from '../../http/json-list-stream.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.guard.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import { DONE_MANY, DONE_ONE, DoneOneAnswer, DoneManyAnswer } from '../../news.wire.js';
import { ItemPath } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
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
    @CurrentReader() reader: Reader,
    @Input(ListItems) { selection, page }: In<typeof ListItems>,
    @Res() response: Response,
  ): Promise<void> {
    const batches = await this.items.list(reader, selection, page);
    await sendJsonList(response, 'items', batches, itemJson);
  }

  @Get('updated', 'Lists items that are new or changed since a time.', ItemsAnswer)
  async listChanged(
    @CurrentReader() reader: Reader,
    @Input(ListChangedItems) { selection, sinceMicros }: In<typeof ListChangedItems>,
    @Res() response: Response,
  ): Promise<void> {
    const batches = await this.items.changedSince(reader, selection, sinceMicros);
    await sendJsonList(response, 'items', batches, itemJson);
  }

  @PutOrPost('read', 'Marks all items read, up to an item.', DoneManyAnswer)
  async markAllRead(
    @CurrentReader() reader: Reader,
    @Input(ReadAllUpTo) { newestItemId }: In<typeof ReadAllUpTo>,
  ) {
    await this.items.markAllReadUpTo(reader, newestItemId);
    return DONE_MANY;
  }

  @PutOrPost(':itemId/read', 'Marks an item read.', DoneOneAnswer)
  markRead(@CurrentReader() reader: Reader, @Input(ItemPath) { itemId }: In<typeof ItemPath>) {
    return this.#setFlag(reader, itemId, 'unread', false);
  }

  @PutOrPost(':itemId/unread', 'Marks an item unread.', DoneOneAnswer)
  markUnread(@CurrentReader() reader: Reader, @Input(ItemPath) { itemId }: In<typeof ItemPath>) {
    return this.#setFlag(reader, itemId, 'unread', true);
  }

  @PutOrPost('read/multiple', 'Marks many items read.', DoneManyAnswer)
  @TakesLargeBodies()
  markManyRead(@CurrentReader() reader: Reader, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(reader, named, 'unread', false);
  }

  @PutOrPost('unread/multiple', 'Marks many items unread.', DoneManyAnswer)
  @TakesLargeBodies()
  markManyUnread(@CurrentReader() reader: Reader, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(reader, named, 'unread', true);
  }

  /** The specification and the reference spell this route differently; both are accepted. */
  @PutOrPost(['star/multiple', 'starred/multiple'], 'Stars many items.', DoneManyAnswer)
  @TakesLargeBodies()
  starMany(@CurrentReader() reader: Reader, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(reader, named, 'starred', true);
  }

  @PutOrPost(
    ['unstar/multiple', 'unstarred/multiple'],
    'Removes the stars of many items.',
    DoneManyAnswer,
  )
  @TakesLargeBodies()
  unstarMany(@CurrentReader() reader: Reader, @Input(ManyItems) named: NamedItems) {
    return this.#setFlags(reader, named, 'starred', false);
  }

  async #setFlag(
    reader: Reader,
    itemId: number,
    flag: ItemFlag,
    value: boolean,
  ): Promise<typeof DONE_ONE> {
    await this.items.setFlag(reader, itemId, flag, value);
    return DONE_ONE;
  }

  async #setFlags(
    reader: Reader,
    { ids, pairs }: NamedItems,
    flag: ItemFlag,
    value: boolean,
  ): Promise<typeof DONE_MANY> {
    const named = [...ids, ...(await this.items.idsByGuidHash(reader, pairs))];
    await this.items.setFlags(reader, named, flag, value);
    return DONE_MANY;
  }
}
