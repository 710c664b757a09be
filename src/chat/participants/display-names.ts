import { Injectable } from '@nestjs/common';
import { UserDirectory, type Account } from '../../common/ports/user-directory.js';
import type { Actor } from '../messages/message.js';

/** From how many on it is cheaper to read all names at once. */
const MANY = 20;

/**
 * Names of people. Asked outside of transactions: who waits for a second connection while holding
 * one can wait for ever.
 */
@Injectable()
export class People {
  constructor(private readonly directory: UserDirectory) {}

  /** @returns names by user id; the id itself for whoever is not there or disabled */
  async namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
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

export function actorOf({ userId, displayName }: Pick<Account, 'userId' | 'displayName'>): Actor {
  return { type: 'users', id: userId, displayName };
}
