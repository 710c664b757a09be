import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { ScopedKeyValues } from './scoped-key-values.js';
import { ValuesRepository, type StoredValue } from './values.repository.js';
import { AccountDeletionHooks } from '../../common/ports/account-deletion-hooks.js';

/** What external apps keep for a user each, and what the user saved in their settings forms. */
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
   * @param sensitive undefined leaves the flag as it is; a new value is not sensitive then
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

  /** Those there are, each once, in the order asked for. */
  async get(appId: string, userId: string, keys: readonly string[]): Promise<StoredValue[]> {
    return this.#of(appId, userId).get(keys);
  }

  /** All, by key. Sensitive values are masked, unless they are to be revealed. */
  async list(appId: string, userId: string, { reveal = false } = {}): Promise<StoredValue[]> {
    return this.#of(appId, userId).list({ reveal });
  }

  /** @returns how many there were */
  async delete(appId: string, userId: string, keys: readonly string[]): Promise<number> {
    return this.#of(appId, userId).delete(keys);
  }

  #of(appId: string, userId: string): ScopedKeyValues {
    return new ScopedKeyValues(this.values, { appId, userId }, this.config);
  }
}
