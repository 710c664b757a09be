import { NotFoundException, Req } from '@nestjs/common';
import type { Request } from 'express';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ItemsService } from './items.service.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { guidHash } from './items.input.js';
import { NewsController, V1_2 } from '../../http/levels.js';

const STAR_ROUTE = /\/items\/(\d{1,15})\/(.+)\/(star|unstar)$/;

/**
 * Stars by the guid itself instead of its hash, as newsboat 2.21 (Debian 12) requests them. A guid may
 * be an address with slashes and a query, so it is read from the whole request line.
 */
@NewsController(V1_2, 'items/:feedId/*guid')
@WorksOnFullDisk()
export class ItemsByGuidV12Controller {
  constructor(private readonly items: ItemsService) {}

  @PutOrPost('', 'Stars an item, or removes its star, by its guid.', DoneOneAnswer, {
    description: 'The guid is followed by `/star` or `/unstar`, and may contain slashes.',
  })
  async setStarred(
    @CurrentUser() user: Account,
    @Req() request: Request,
  ): Promise<typeof DONE_ONE> {
    const [, feedId, guid = '', verb] = STAR_ROUTE.exec(request.originalUrl) ?? [];
    if (verb === undefined) {
      throw new NotFoundException(`There is no route ${request.method} ${request.path}.`);
    }
    const pair = { feedId: Number(feedId), guidHash: guidHash(guid) };
    const itemId = await this.items.idByGuidHash(user.userId, pair);
    await this.items.setFlag(user.userId, itemId, 'starred', verb === 'star');
    return DONE_ONE;
  }
}
