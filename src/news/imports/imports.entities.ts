import { entityOf, p } from '../../database/entity-of.js';
import type { FormatName } from './formats/found-row.js';
import type { LeftOut, NamedFeed } from './imported-row.js';

/**
 * `reading`: not shown yet; `preview`: waits for its user; `cancelled`: its user stopped it, what was done stays.
 */
export type ImportState =
  | 'reading'
  | 'preview'
  | 'running'
  | 'done'
  | 'cancelled'
  | 'undoing'
  | 'undone';

/** What the rows of a file are. */
export interface ImportPreview {
  /** Rows with a feed; the others are saved pages. */
  readonly articles: number;
  /** Of them, of feeds that the user follows. */
  readonly ofFollowedFeeds: number;
  readonly pages: number;
  /** The user has them already. */
  readonly found: number;
  readonly toStore: number;
  /** They only tell the state of articles that the user does not have. */
  readonly notFound: number;
  readonly unread: number;
  readonly starred: number;
  readonly labelled: number;
  readonly noted: number;
}

/** What an import did, in items. */
export interface ImportOutcome {
  readonly stored: number;
  readonly found: number;
  readonly starred: number;
  readonly labelled: number;
  /** Made read; without those that were stored. */
  readonly read: number;
  readonly noted: number;
  readonly notFound: number;
  /** Feeds of lists in the file. */
  readonly feeds: number;
}

/** What of a file is not taken. */
export interface Omissions {
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  /** The first 100. */
  readonly places: readonly LeftOut[];
}

/** What an import made beside items, by id. */
export interface Made {
  readonly feedIds: readonly number[];
  readonly folderIds: readonly number[];
  readonly labelIds: readonly number[];
}

/** A file of another reader that a user imports, or has imported. */
export class NewsImportEntity extends entityOf('news_import', {
  readerId: p.bigint('number').primary(),
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  format: p.text().$type<FormatName>(),
  state: p.text().$type<ImportState>(),
  rowCount: p.integer().default(0),
  /** Rows that are done, of `rowCount`. */
  doneCount: p.integer().default(0),
  preview: p.json().$type<ImportPreview>(),
  outcome: p.json().$type<Partial<ImportOutcome>>().defaultRaw("'{}'::jsonb"),
  leftOut: p.json().$type<Omissions>(),
  /** Feeds that the file names beside its articles. */
  feeds: p.json().$type<readonly NamedFeed[]>(),
  /** Lists of feeds in the file; null once they are imported. */
  opml: p.array().columnType('bytea[]').$type<Buffer[]>().strictNullable(),
  made: p.json().$type<Partial<Made>>().defaultRaw("'{}'::jsonb"),
  createdAt: p.datetime().defaultRaw('now()'),
  startedAt: p.datetime().strictNullable(),
  endedAt: p.datetime().strictNullable(),
}) {}

/** A row of a file that is not done yet. */
export class NewsImportRowEntity extends entityOf('news_import_row', {
  readerId: p.bigint('number').primary(),
  importId: p.bigint('number').primary(),
  /** In the file. */
  place: p.integer().primary(),
  /** By which the oldest is done first, unix seconds; 0 without a time. */
  atSeconds: p.bigint('number'),
  identity: p.blob().$type<Buffer>(),
  /** JSON of an `ImportedRow`. */
  row: p.text(),
}) {}
