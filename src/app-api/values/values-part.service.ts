import { Injectable } from '@nestjs/common';
import {
  AccountTransferParts,
  jsonEntry,
  type TransferEntry,
  type TransferNotes,
  type TransferWish,
} from '../../common/ports/account-transfer.js';
import { ValuesRepository } from './values.repository.js';

/** What external apps store for a user, in the archive of their account. */
@Injectable()
export class ValuesPart {
  constructor(
    private readonly values: ValuesRepository,
    parts: AccountTransferParts,
  ) {
    parts.addExport((wish, notes) => this.#entries(wish, notes));
  }

  async *#entries(
    { userId, withSecrets }: TransferWish,
    notes: TransferNotes,
  ): AsyncGenerator<TransferEntry> {
    const apps = await this.values.appsOf(userId);
    if (apps.length === 0) {
      return;
    }
    yield jsonEntry('apps.json', async () => {
      const values = await Promise.all(
        apps.map(async (appId) => {
          const all = await this.values.list({ appId, userId });
          const told = all.filter(({ sensitive }) => withSecrets || !sensitive);
          notes.count('values of apps', told.length);
          if (told.length < all.length) {
            notes.leaveOut('secret values of apps', 'Secrets were not asked for.');
          }
          return [appId, Object.fromEntries(told.map(({ key, value }) => [key, value]))];
        }),
      );
      return Object.fromEntries(values) as object;
    });
    notes.leaveOut('values of apps on the way back', 'Apps write them anew.');
  }
}
