import type { Caller } from '../requests.js';
import type { FeedFetcher } from '../rounds.js';
import type { MeasuredProgram } from '../service.js';

/** Logs in with a token or password that is fast to verify, as its clients do. */
export interface Account extends Caller {
  /** Of items in a row. */
  readonly firstItemId: number;
}

/** Items of an answer, as many as Miniflux allows. */
export const LARGEST_PAGE = 1000;

/** The same feeds for each account. */
export interface Library {
  readonly accounts: number;
  readonly feeds: number;
  readonly itemsPerFeed: number;
  /** Each account but the first follows one of so many feeds. */
  readonly oneOf?: number;
}

/** A feed reader that runs, and the same work in its own words. */
export interface FeedReader extends MeasuredProgram, FeedFetcher {
  /** Name and version. */
  readonly about: string;
  readonly caller: Account;
  /** Imports a list of feeds; the first fetches may follow. */
  importFeeds(opml: string): Promise<void>;
  /** The list of feeds with counts of unread items, after everything new was delivered. */
  listFeeds(caller?: Caller): Promise<void>;
  /** The newest 200 unread items with bodies. */
  page(): Promise<void>;
  /**
   * All unread items with bodies, as pages of 1,000.
   *
   * @returns how many
   */
  allUnread(headers?: Record<string, string>): Promise<number>;
  /** Requests the changes since now, which are none. */
  changes(caller?: Caller): Promise<void>;
  /** Marks items by their place in the list, 0 being the oldest. */
  mark(places: readonly number[], read: boolean, caller?: Account): Promise<void>;
  /**
   * Fills an empty database without fetching.
   *
   * @returns the accounts, of which the first is `caller`
   */
  fill(library: Library): Promise<readonly Account[]>;
  /**
   * Ends the program and starts it anew on its database. Afterwards only commands are run.
   *
   * @returns milliseconds until it answers
   */
  restart(): Promise<number>;
  /** Runs a command that asks the database for little. */
  runCommand(): Promise<unknown>;
  /** Writes a list of all feeds of the user by a command. */
  runExport(): Promise<unknown>;
  stop(): Promise<void>;
}

/** A program that may not be available here. */
export interface Peer {
  readonly name: string;
  /** @returns why it is skipped; undefined when it can be started */
  prepare(): Promise<string | undefined>;
  start(): Promise<FeedReader>;
}
