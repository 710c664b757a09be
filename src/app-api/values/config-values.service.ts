import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { ScopedKeyValues } from './scoped-key-values.js';
import { ValuesRepository, type StoredValue } from './values.repository.js';

/** Settings of external apps as a whole: what an app keeps, and what its administrator saved. */
@Injectable()
export class ConfigValuesService {
  constructor(
    private readonly values: ValuesRepository,
    private readonly config: Config,
  ) {}

  /**
   * @param sensitive undefined leaves the flag as it is; a new value is not sensitive then
   * @throws ConfigValueRejected
   * @throws ExAppNotFound
   */
  async set(appId: string, key: string, value: string, sensitive?: boolean): Promise<StoredValue> {
    return this.#of(appId).set(key, value, sensitive);
  }

  /** Those there are, each once, in the order asked for. */
  async get(appId: string, keys: readonly string[]): Promise<StoredValue[]> {
    return this.#of(appId).get(keys);
  }

  /** All, by key. Sensitive values are masked, unless they are to be revealed. */
  async list(appId: string, { reveal = false } = {}): Promise<StoredValue[]> {
    return this.#of(appId).list({ reveal });
  }

  /** @returns how many there were */
  async delete(appId: string, keys: readonly string[]): Promise<number> {
    return this.#of(appId).delete(keys);
  }

  #of(appId: string): ScopedKeyValues {
    return new ScopedKeyValues(this.values, { appId }, this.config);
  }
}
