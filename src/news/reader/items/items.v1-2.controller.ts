import { NotFoundException, Req } from '@nestjs/common';
import type { Request } from 'express';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { clamped } from '../../../common/http/loose-inputs.js';
import { NewsController, V1_2 } from '../../http/levels.guard.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { GuidHashPath, guidHash } from './items.input.js';
import { ItemsService } from './items.service.js';

const STAR_ROUTE = /\/items\/(0|[1-9]\d*)\/(.+)\/(star|unstar)$/;

/**
 * Stars of level v1-2, which names an item by its feed and the hash of its guid.
 *
 * @see docs/spec/feed-reader-api.md "Level v1-2 differences"
 */
@NewsController(V1_2, 'items/:feedId')
@WorksOnFullDisk()
export class ItemsV12Controller {
  constructor(private readonly items: ItemsService) {}

  @PutOrPost(':guidHash/star', 'Stars an item.', DoneOneAnswer)
  star(@CurrentReader() reader: Reader, @Input(GuidHashPath) pair: In<typeof GuidHashPath>) {
    return this.#setStarred(reader, pair, true);
  }

  @PutOrPost(':guidHash/unstar', 'Removes the star of an item.', DoneOneAnswer)
  unstar(@CurrentReader() reader: Reader, @Input(GuidHashPath) pair: In<typeof GuidHashPath>) {
    return this.#setStarred(reader, pair, false);
  }

  /**
   * Stars by the guid itself instead of its hash, as newsboat 2.21 (Debian 12) requests them. A guid may
   * be an address with slashes and a query, so it is read from the whole request line.
   */
  @PutOrPost('*guid', 'Stars an item, or removes its star, by its guid.', DoneOneAnswer, {
    description: 'The guid is followed by `/star` or `/unstar`, and may contain slashes.',
  })
  setStarredByGuid(@CurrentReader() reader: Reader, @Req() request: Request) {
    const [, feedId, guid = '', verb] = STAR_ROUTE.exec(request.originalUrl) ?? [];
    if (verb === undefined) {
      throw new NotFoundException(`There is no route ${request.method} ${request.path}.`);
    }
    const pair = { feedId: clamped(Number(feedId)), guidHash: guidHash(guid) };
    return this.#setStarred(reader, pair, verb === 'star');
  }

  async #setStarred(
    reader: Reader,
    pair: In<typeof GuidHashPath>,
    starred: boolean,
  ): Promise<typeof DONE_ONE> {
    const itemId = await this.items.idByGuidHash(reader, pair);
    await this.items.setFlag(reader, itemId, 'starred', starred);
    return DONE_ONE;
  }
}
