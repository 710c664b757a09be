import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
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
    return [...(await this.findAll(reader.id, keys)).values()].flat();
  }

  /**
   * Does not deliver.
   *
   * @param keys of pages
   * @param except sources whose articles count once they are indexed
   * @returns the items of each page, the oldest first
   */
  async findAll(
    readerId: number,
    keys: ReadonlySet<string>,
    except: ReadonlySet<number> = new Set(),
    tx?: SqlRunner,
  ): Promise<Map<string, ItemAtAddress[]>> {
    const behind = await this.index.followedBehind(readerId, tx);
    const counted = behind.filter(({ id }) => !except.has(id));
    const pending = await this.index.pendingOf(counted, MOST_PENDING + 1, tx);
    const found = await this.search.itemsWithTokens(
      readerId,
      Array.from(keys, addressToken),
      pending.length > MOST_PENDING ? [] : pending,
      tx,
    );
    const items = Map.groupBy(found, ({ url }) => pageKey(url ?? '') ?? '');
    return new Map([...items].filter(([key]) => keys.has(key)));
  }
}
