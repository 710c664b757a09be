import { Offer } from './offer.js';
import type { Account } from './user-directory.js';

/*
 * Paths here are relative to the root of the installation: with leading slash, without path prefix.
 */

/** An entry of the top menu. */
export interface MenuEntry {
  /** Unique among all entries of all apps. */
  readonly id: string;
  readonly appId: string;
  /** Unique within its app. */
  readonly name: string;
  readonly displayName: string;
  readonly path: string;
  /** Null for the default icon. */
  readonly iconPath: string | null;
}

/** Contents of a menu entry's page. */
export interface AppPage {
  readonly entry: MenuEntry;
  /** In order of loading. */
  readonly scriptPaths: readonly string[];
  readonly stylePaths: readonly string[];
  /**
   * Loaded by the page's scripts with `app_api` and the key. The text is the app's value as JSON;
   * the scripts parse it.
   */
  readonly initialStates: readonly { readonly key: string; readonly text: string }[];
}

/** UI elements of external apps. */
export interface UiContributions {
  /** Entries of enabled apps that the account may see, in order of registration. */
  menuFor(account: Account): Promise<MenuEntry[]>;

  /** @returns null for an unknown page, or one that the account may not see */
  page(account: Account, appId: string, name: string): Promise<AppPage | null>;
}

/** Filled by the app-api room. */
export class UiContributionsOffer extends Offer<UiContributions> {}
