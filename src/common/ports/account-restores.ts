/** An archive that is kept, or is being taken in. */
export interface KeptArchive {
  readonly id: number;
  readonly userId: string;
  /** The time of the import that it was kept for, unix seconds. */
  readonly askedSeconds: number;
}

/** What became of an archive. */
export interface ShownRestore extends KeptArchive {
  /** `ready`: it was not begun. */
  readonly state: 'waiting' | 'working' | 'ready' | 'done' | 'failed';
  /** Why it failed: a sentence. */
  readonly problem: string | null;
  /** What was not taken in, by reason, a sentence, with the first of each. */
  readonly leftOut: readonly {
    readonly reason: string;
    readonly count: number;
    readonly what: readonly string[];
  }[];
}

/** Port to archives of accounts that are taken in; implemented by `platform/transfer`. */
export abstract class AccountRestores {
  /**
   * Keeps an archive that is on disk until its import begins, in place of the one before.
   *
   * @param askedSeconds the time of its import, by which this finds it again, unix seconds
   * @throws ArchiveTooLarge, StorageFull
   */
  abstract keep(userId: string, file: string, askedSeconds: number): Promise<void>;

  /** Archives that are kept and not begun, also those that expire now. @param userId of this user alone */
  abstract waiting(userId?: string): Promise<readonly KeptArchive[]>;

  /** Whether an archive of the user is being taken in. */
  abstract isUnderWay(userId: string): Promise<boolean>;

  /** The archive of a user; null without one, and some days after its end. */
  abstract show(userId: string): Promise<ShownRestore | null>;

  /** Keeps an archive for another day. */
  abstract keepOn(archiveId: number): Promise<void>;

  /** Takes in an archive that is kept: all but the articles. */
  abstract begin(archiveId: number): Promise<void>;
}
