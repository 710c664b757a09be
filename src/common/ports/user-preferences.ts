export interface AreaPreferences {
  /** Every field of the area; unset ones have their default. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Grows with every change; 0: never changed. */
  readonly version: number;
}

/** Areas by name; `pages` has language and theme. */
export type PagesPreferences = Readonly<Record<string, AreaPreferences>> & {
  readonly pages: AreaPreferences;
};

/** Port to preferences that pages show at once; implemented by `platform/preferences`. */
export abstract class UserPreferences {
  abstract all(userId: string): Promise<PagesPreferences>;
}
