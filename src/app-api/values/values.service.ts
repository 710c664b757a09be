import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { AccountDeletionHooks, ExAppUninstallHooks } from '../../common/ports/hooks.js';
import { ConfigValueRejected, ExAppNotFound } from '../app-api.errors.js';
import { type StoredValue, type ValueOwner, ValuesRepository } from './values.repository.js';

const LONGEST_KEY = 255;

/** Replaces sensitive values in lists for operators. */
const MASK = '***REMOVED SENSITIVE VALUE***';

/** Configuration values of external apps, and the values that they store per user. */
@Injectable()
export class ValuesService {
  constructor(
    private readonly values: ValuesRepository,
    private readonly config: Config,
    uninstallHooks: ExAppUninstallHooks,
    deletionHooks: AccountDeletionHooks,
  ) {
    uninstallHooks.add(async (appId, keepData) => {
      if (!keepData) {
        await values.removeOfApp(appId);
      }
    });
    deletionHooks.add((userId) => values.removeOfUser(userId));
  }

  /** @param userId undefined for the configuration values of the app itself */
  of(appId: string, userId?: string): ScopedKeyValues {
    return new ScopedKeyValues(
      this.values,
      userId === undefined ? { appId } : { appId, userId },
      this.config,
    );
  }
}

/** Validated access to the values of one owner: an app, or one of its users. */
class ScopedKeyValues {
  constructor(
    private readonly values: ValuesRepository,
    private readonly owner: ValueOwner,
    private readonly config: Config,
  ) {}

  /**
   * @param sensitive undefined keeps the stored flag; false for a new value
   * @throws ConfigValueRejected
   * @throws ExAppNotFound
   */
  async set(key: string, value: string, sensitive?: boolean): Promise<StoredValue> {
    assertCanBeKept(key, value);
    const kept = await this.values.set(this.owner, { key, value, sensitive }, (others) => {
      assertBelowLimit(this.config, 'values-per-app', others.count);
      const added = Buffer.byteLength(value);
      assertBelowLimit(this.config, 'value-bytes-per-app', others.bytes, added);
    });
    return ExAppNotFound.unless(kept, this.owner.appId);
  }

  /** Values that exist, each once, in the order of `keys`. */
  async get(keys: readonly string[]): Promise<StoredValue[]> {
    return this.values.get(this.owner, keys.filter(canExist));
  }

  /** All values, by key. Sensitive ones are masked unless `reveal` is set. */
  async list({ reveal = false } = {}): Promise<StoredValue[]> {
    const kept = await this.values.list(this.owner);
    return kept.map((entry) => (entry.sensitive && !reveal ? { ...entry, value: MASK } : entry));
  }

  /** @returns how many existed */
  async delete(keys: readonly string[]): Promise<number> {
    return this.values.remove(this.owner, keys.filter(canExist));
  }
}

function assertCanBeKept(key: string, value: string): void {
  if (key === '') {
    throw new ConfigValueRejected('Config key cannot be empty');
  }
  if (key.length > LONGEST_KEY) {
    throw new ConfigValueRejected(`A config key has at most ${LONGEST_KEY} characters`);
  }
  if (!canExist(key) || !canExist(value)) {
    throw new ConfigValueRejected('Config keys and values cannot hold the character NUL');
  }
}

/** PostgreSQL cannot store NUL. */
function canExist(text: string): boolean {
  return !text.includes('\0');
}
