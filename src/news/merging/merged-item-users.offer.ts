import { Injectable } from '@nestjs/common';
import { Offer } from '../../common/ports/offer.js';
import type { SqlRunner } from '../../database/database.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';

/** An item that goes, or stays as a copy, and the one that has everything of it now. */
export interface MergedPair {
  readonly itemId: number;
  readonly intoItemId: number;
}

/** What names items and stands above: published articles. */
export interface MergedItemUsers {
  /** In the transaction of the merge. */
  merged(reader: Reader, pairs: readonly MergedPair[], tx: SqlRunner): Promise<void>;
}

@Injectable()
export class MergedItemUsersOffer extends Offer<MergedItemUsers> {}
