import { Injectable } from '@nestjs/common';
import { UserDirectoryOffer } from '../../common/ports/user-directory.js';
import { hashOf } from '../../common/secrets/token-hash.js';
import { ReaderIdsRepository, type Reader } from '../reader/delivery/reader-ids.repository.js';
import { FeedsOutRepository, type FeedOut } from './feeds-out.repository.js';

/** A published list and its user. */
export interface FoundList {
  readonly list: FeedOut;
  readonly reader: Reader;
}

/** Finds published lists by the tokens of their addresses. */
@Injectable()
export class ListFinder {
  constructor(
    private readonly lists: FeedsOutRepository,
    private readonly users: UserDirectoryOffer,
    private readonly readers: ReaderIdsRepository,
  ) {}

  /**
   * The table is asked for a hash, so the time tells nothing about tokens that exist.
   *
   * @returns null for an unknown token, and for one of an account that is gone or disabled
   */
  async byToken(token: string): Promise<FoundList | null> {
    const list = await this.lists.byToken(hashOf(token));
    if (list === null || (await this.users.required.find(list.userId)) === null) {
      return null;
    }
    return { list, reader: await this.readers.of(list.userId) };
  }
}
