import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { ScopedKeyValues } from './scoped-key-values.js';
import { ValuesRepository, type StoredValue } from './values.repository.js';

/** Configuration values of external apps, set by the app or by an administrator. */
@Injectable()
export class ConfigValuesService {
  constructor(
    private readonly values: ValuesRepository,
    private readonly config: Config,
  ) {}

  /**
   * @param sensitive undefined keeps the stored flag; false for a new value
   * @throws ConfigValueRejected
   * @throws ExAppNotFound
   */
  async set(appId: string, key: string, value: string, sensitive?: boolean): Promise<StoredValue> {
    return this.#of(appId).set(key, value, sensitive);
  }

  /** Values that exist, each once, in the order of `keys`. */
  async get(appId: string, keys: readonly string[]): Promise<StoredValue[]> {
    return this.#of(appId).get(keys);
  }

  /** All values, by key. Sensitive ones are masked unless `reveal` is set. */
  async list(appId: string, { reveal = false } = {}): Promise<StoredValue[]> {
    return this.#of(appId).list({ reveal });
  }

  /** @returns how many existed */
  async delete(appId: string, keys: readonly string[]): Promise<number> {
    return this.#of(appId).delete(keys);
  }

  #of(appId: string): ScopedKeyValues {
    return new ScopedKeyValues(this.values, { appId }, this.config);
  }
}
