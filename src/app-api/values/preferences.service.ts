import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { ScopedKeyValues } from './scoped-key-values.js';
import { ValuesRepository, type StoredValue } from './values.repository.js';
import { AccountDeletionHooks } from '../../common/ports/account-deletion-hooks.js';

/** Values that external apps store per user, set by the app or by the user in a settings form. */
@Injectable()
export class PreferencesService {
  constructor(
    private readonly values: ValuesRepository,
    private readonly config: Config,
    deletionHooks: AccountDeletionHooks,
  ) {
    deletionHooks.onErase((userId) => values.removeOfUser(userId));
  }

  /**
   * @param sensitive undefined keeps the stored flag; false for a new value
   * @throws ConfigValueRejected
   * @throws ExAppNotFound
   */
  async set(
    appId: string,
    userId: string,
    key: string,
    value: string,
    sensitive?: boolean,
  ): Promise<StoredValue> {
    return this.#of(appId, userId).set(key, value, sensitive);
  }

  /** Values that exist, each once, in the order of `keys`. */
  async get(appId: string, userId: string, keys: readonly string[]): Promise<StoredValue[]> {
    return this.#of(appId, userId).get(keys);
  }

  /** All values, by key. Sensitive ones are masked unless `reveal` is set. */
  async list(appId: string, userId: string, { reveal = false } = {}): Promise<StoredValue[]> {
    return this.#of(appId, userId).list({ reveal });
  }

  /** @returns how many existed */
  async delete(appId: string, userId: string, keys: readonly string[]): Promise<number> {
    return this.#of(appId, userId).delete(keys);
  }

  #of(appId: string, userId: string): ScopedKeyValues {
    return new ScopedKeyValues(this.values, { appId, userId }, this.config);
  }
}
