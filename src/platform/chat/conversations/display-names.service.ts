import { Injectable } from '@nestjs/common';
import { UserDirectory } from '../../../common/ports/user-directory.js';

/** Above this number one query for all accounts is cheaper. */
const MANY = 20;

/** Display names of users. Call outside transactions: a second connection could cause a deadlock. */
@Injectable()
export class DisplayNames {
  constructor(private readonly directory: UserDirectory) {}

  /** @returns names by user id; the id itself for deleted and disabled accounts */
  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set(userIds);
    const accounts =
      wanted.size > MANY
        ? await this.directory.list()
        : await Promise.all([...wanted].map((userId) => this.directory.find(userId)));
    const names = new Map([...wanted].map((userId) => [userId, userId]));
    for (const account of accounts) {
      if (account !== null && wanted.has(account.userId)) {
        names.set(account.userId, account.displayName);
      }
    }
    return names;
  }
}
