/** Used and available storage of a user. */
export interface StorageUse {
  readonly usedBytes: number;
  /** Infinity without a limit. */
  readonly freeBytes: number;
  /** Quota of the user; null if only the disk is the limit. */
  readonly quotaBytes: number | null;
}

/** @returns by user id; users without files have no entry */
type StorageMeter = (userIds: readonly string[]) => Promise<ReadonlyMap<string, StorageUse>>;

/** The files room contributes the storage use of users. */
export class StorageUses {
  #meter: StorageMeter = async () => new Map();

  measureBy(meter: StorageMeter): void {
    this.#meter = meter;
  }

  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, StorageUse>> {
    return this.#meter(userIds);
  }
}
