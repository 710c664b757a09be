/** Storage limit of an account: bytes, no limit, or the default setting. */
export type StorageQuota = number | 'none' | 'default';

/** Used and available storage of a user. */
export interface StorageUse {
  readonly usedBytes: number;
  /** Infinity without a limit. */
  readonly freeBytes: number;
  /** Quota of the user; null if only the disk is the limit. */
  readonly quotaBytes: number | null;
  /** The account's own quota, set by an administrator. */
  readonly quota: StorageQuota;
}

interface StorageKeeper {
  /** @returns by user id */
  readonly of: (userIds: readonly string[]) => Promise<ReadonlyMap<string, StorageUse>>;
  readonly setQuota: (userId: string, quota: StorageQuota) => Promise<void>;
}

/** The files room contributes the storage use of users, and keeps their quotas. */
export class StorageUses {
  #keeper: StorageKeeper | undefined;

  keepIn(keeper: StorageKeeper): void {
    this.#keeper = keeper;
  }

  /** @returns by user id; empty without files */
  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, StorageUse>> {
    return this.#keeper?.of(userIds) ?? new Map();
  }

  /** Takes effect with the next upload. Removes no file. */
  async setQuota(userId: string, quota: StorageQuota): Promise<void> {
    await this.#keeper?.setQuota(userId, quota);
  }
}
