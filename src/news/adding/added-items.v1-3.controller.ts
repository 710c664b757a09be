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

const AddedItemsAnswer = z.object({
  feedId: z.int(),
  items: z.array(z.object({ id: z.int(), guid: z.string(), guidHash: z.string() })),
});

/**
 * Items added by users and external apps. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'items')
export class AddedItemsV13Controller {
  constructor(private readonly added: AddedItemsService) {}

  @ApiPost('', 'Adds items to a feed of the caller.', AddedItemsAnswer, { input: AddedItemsForm })
  async add(
    @CurrentReader() reader: Reader,
    @CallingExApp() app: CallingApp | undefined,
    @Input(AddItems) { feedTitle, items }: In<typeof AddItems>,
  ) {
    return this.added.add({ reader, app: app ?? null }, feedTitle ?? null, items);
  }
}
