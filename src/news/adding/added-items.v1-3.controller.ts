import { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { ApiPost } from '../../common/contracts/routes.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { AddItems, AddedItemsForm } from './added-items.input.js';
import { AddedItemsService } from './added-items.service.js';
import { PageKeeperOffer } from './page-keeper.offer.js';

const AddedItemsAnswer = z.object({
  feedId: z.int(),
  items: z.array(z.object({ id: z.int(), guid: z.string(), guidHash: z.string() })),
  kept: z
    .object({
      outcome: z.enum(['saved', 'renewed', 'unchanged', 'starred']),
      title: z.string(),
      problem: z.string().nullable(),
    })
    .optional()
    .describe('Of a page that was added by its address alone.'),
});

/**
 * Items added by users and external apps. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'items')
export class AddedItemsV13Controller {
  constructor(
    private readonly added: AddedItemsService,
    private readonly keeper: PageKeeperOffer,
  ) {}

  @ApiPost('', 'Adds items to a feed of the caller.', AddedItemsAnswer, { input: AddedItemsForm })
  async add(
    @CurrentReader() reader: Reader,
    @CallingExApp() app: CallingApp | undefined,
    @Input(AddItems) { feedTitle, items, page }: In<typeof AddItems>,
  ) {
    const adder = { reader, app: app ?? null };
    const pages = this.keeper.service;
    return page !== null && pages !== undefined
      ? pages.keep(adder, feedTitle ?? null, page)
      : this.added.add(adder, feedTitle ?? null, items);
  }
}
