/** How much a user keeps, and how much more fits. */
export interface StorageUse {
  readonly usedBytes: number;
  readonly freeBytes: number;
  /** What the user may keep in all; null where only the disk sets a limit. */
  readonly quotaBytes: number | null;
}

/** @returns by user id; users without an entry keep nothing */
type StorageMeter = (userIds: readonly string[]) => Promise<ReadonlyMap<string, StorageUse>>;

/** Where the room that keeps files of users says how much; without one, nobody keeps anything. */
export class StorageUses {
  #meter: StorageMeter = async () => new Map();

  measureBy(meter: StorageMeter): void {
    this.#meter = meter;
  }

  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, StorageUse>> {
    return this.#meter(userIds);
  }
}
