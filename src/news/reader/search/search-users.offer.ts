import { Injectable } from '@nestjs/common';
import { Offer } from '../../../common/ports/offer.js';
import type { SqlRunner } from '../../../database/database.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';

/** What uses saved searches besides other searches: rules, which stand above. */
export interface SearchUsers {
  /** Names of the rules that name a search, by the search's id. */
  bySearch(readerId: number, tx?: SqlRunner): Promise<ReadonlyMap<number, readonly string[]>>;
  /** A search has another query now. */
  changed(reader: LockedReader, tx: SqlRunner): Promise<void>;
}

@Injectable()
export class SearchUsersOffer extends Offer<SearchUsers> {}
