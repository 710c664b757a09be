/** Port to archives of accounts that are taken in; implemented by `platform/transfer`. */
export abstract class AccountRestores {
  /**
   * Keeps an archive that is on disk until its import begins, in place of the one before.
   *
   * @throws ArchiveTooLarge, StorageFull
   */
  abstract keep(userId: string, file: string): Promise<void>;

  /** Archives that are kept and not begun, and since when; unix seconds. */
  abstract waiting(): Promise<
    readonly { readonly userId: string; readonly askedSeconds: number }[]
  >;

  /** Takes in what is kept, if there is anything: all but the articles. */
  abstract begin(userId: string): Promise<void>;
}
