import type { Account } from './user-directory.js';

/*
 * Paths here are relative to the root of the installation: with leading slash, without path prefix.
 */

/** An entry of the menu at the top of every page. */
export interface MenuEntry {
  /** Unique among all entries of all apps. */
  readonly id: string;
  readonly appId: string;
  /** Unique within its app. */
  readonly name: string;
  readonly displayName: string;
  readonly path: string;
  /** Null for the host's own. */
  readonly iconPath: string | null;
}

/** What the host puts into the page of a menu entry. */
export interface AppPage {
  readonly entry: MenuEntry;
  /** In this order. */
  readonly scriptPaths: readonly string[];
  readonly stylePaths: readonly string[];
  /**
   * For the page's scripts, which load them by `app_api` and the key. The text is JSON of what the app
   * set; the scripts get the text and parse it themselves.
   */
  readonly initialStates: readonly { readonly key: string; readonly text: string }[];
}

/** Port to what external apps add to the pages of the host; answered by the app-api room. */
export abstract class UiContributions {
  /** Entries of enabled apps that this account may see, in the order of their registration. */
  abstract menuFor(account: Account): Promise<MenuEntry[]>;

  /** @returns null when there is no such page, or none that this account may see */
  abstract page(account: Account, appId: string, name: string): Promise<AppPage | null>;
}
