import { Injectable } from '@nestjs/common';
import { DeliveryService } from '../delivery/delivery.service.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { addressToken, pageKey } from './address-token.js';
import { SearchIndexRepository } from './search-index.repository.js';
import { SearchRepository, type ItemAtAddress } from './search.repository.js';

export type { ItemAtAddress } from './search.repository.js';

/** Articles that are not indexed yet and are compared one by one; with more, none of them. */
const MOST_PENDING = 500;

/** Finds the items of a user whose articles have an address, by the index of words. */
@Injectable()
export class ItemsByAddress {
  constructor(
    private readonly delivery: DeliveryService,
    private readonly index: SearchIndexRepository,
    private readonly search: SearchRepository,
  ) {}

  /** Delivers first. @param addresses of one page, which may be spelled in other ways @returns the oldest first */
  async find(reader: Reader, addresses: readonly string[]): Promise<ItemAtAddress[]> {
    const keys = new Set(addresses.map(pageKey).filter((key) => key !== null));
    if (keys.size === 0) {
      return [];
    }
    await this.delivery.deliverTo(reader);
    const behind = await this.index.followedBehind(reader.id);
    const pending = await this.index.pendingOf(behind, MOST_PENDING + 1);
    const found = await this.search.itemsWithTokens(
      reader.id,
      Array.from(keys, addressToken),
      pending.length > MOST_PENDING ? [] : pending,
    );
    return found.filter(({ url }) => keys.has(pageKey(url ?? '') ?? ''));
  }
}
