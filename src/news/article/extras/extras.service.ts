import { Injectable } from '@nestjs/common';
import { NO_EXTRAS, type ArticleExtras } from '../../feed-parser/items/extras.js';
import { ItemNotFound } from '../../news.errors.js';
import { ExtrasRepository } from './extras.repository.js';

export type { ArticleExtras } from '../../feed-parser/items/extras.js';

/** Further files of items, links to comments and chapters, and tags. */
@Injectable()
export class ExtrasService {
  constructor(private readonly extras: ExtrasRepository) {}

  /** @throws ItemNotFound unless the item is this user's */
  async find(userId: string, itemId: number): Promise<ArticleExtras> {
    const extras = await this.extras.find(userId, itemId);
    if (extras === undefined) {
      throw new ItemNotFound(itemId);
    }
    return { ...NO_EXTRAS, ...extras };
  }
}
