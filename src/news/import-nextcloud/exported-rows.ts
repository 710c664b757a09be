import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { z } from 'zod';
import { byteLinesOf } from '../../common/lines-of.js';
import { MIB } from '../../common/units.js';
import { withoutControls } from '../feed-parser/html/character-references.js';
import { UnreadableExport } from './import-nextcloud.errors.js';

/*
 * Rows of the tables of Nextcloud News, exported as JSON by PostgreSQL, MySQL or SQLite: booleans are
 * true, 1 or "1", numbers may be text, columns of newer versions may be absent.
 */

const integer = z.preprocess(
  (value) =>
    typeof value === 'string' && /^\s*-?\d{1,16}\s*$/.test(value) ? Number(value) : value,
  z.int({ error: 'must be a whole number' }),
);
const id = integer.refine((value) => value > 0, { error: 'must be a whole number above 0' });
const flag = z.preprocess(
  (value) => FLAGS.get(value) ?? value,
  z.boolean({ error: 'must be true or false' }),
);
const text = z.string({ error: 'must be a text' }).transform(withoutControls);
const optionalText = z.nullish(text).transform((value) => value || null);
const optionalFlag = z.nullish(flag).transform((value) => value ?? false);
const optionalInteger = z.nullish(integer).transform((value) => value ?? null);
const count = optionalInteger.transform((value) => value ?? 0);

const FLAGS = new Map<unknown, boolean>([
  [1, true],
  ['1', true],
  [0, false],
  ['0', false],
]);

const LONGEST_SECONDS = 9_999_999_999;

/** Unix microseconds; old versions stored seconds. */
const micros = integer.transform((value) => (value <= LONGEST_SECONDS ? value * 1_000_000 : value));

/** A time of deletion in seconds; 0 and null for none. */
const isDeleted = count.transform((deletedAtSeconds) => deletedAtSeconds > 0);

const FolderRow = z
  .object({ id, name: text, user_id: text, deleted_at: isDeleted })
  .transform((row) => ({
    id: row.id,
    name: row.name,
    userId: row.user_id,
    isDeleted: row.deleted_at,
  }));

const FeedRow = z
  .object({
    id,
    user_id: text,
    url: text,
    title: optionalText,
    link: optionalText,
    added: count,
    folder_id: count,
    deleted_at: isDeleted,
    articles_per_update: count,
    ordering: count,
    update_mode: count,
    pinned: optionalFlag,
    full_text_enabled: optionalFlag,
    basic_auth_user: optionalText,
    basic_auth_password: optionalText,
  })
  .transform((row) => ({
    id: row.id,
    userId: row.user_id,
    url: row.url,
    title: row.title,
    link: row.link,
    addedSeconds: row.added,
    /** 0 is the root. */
    folderId: row.folder_id,
    isDeleted: row.deleted_at,
    articlesPerUpdate: row.articles_per_update,
    ordering: row.ordering,
    updateMode: row.update_mode,
    pinned: row.pinned,
    fullText: row.full_text_enabled,
    basicAuthUser: row.basic_auth_user,
    basicAuthPassword: row.basic_auth_password,
  }));

const ItemRow = z
  .object({
    id,
    feed_id: id,
    guid: optionalText,
    url: optionalText,
    title: optionalText,
    author: optionalText,
    pub_date: optionalInteger,
    updated_date: optionalInteger,
    body: optionalText,
    enclosure_mime: optionalText,
    enclosure_link: optionalText,
    media_thumbnail: optionalText,
    media_description: optionalText,
    unread: flag,
    starred: flag,
    rtl: optionalFlag,
    last_modified: micros,
  })
  .transform((row) => ({
    id: row.id,
    feedId: row.feed_id,
    guid: row.guid,
    url: row.url,
    title: row.title,
    author: row.author,
    pubDateSeconds: row.pub_date,
    updatedDateSeconds: row.updated_date,
    body: row.body,
    enclosureMime: row.enclosure_mime,
    enclosureLink: row.enclosure_link,
    mediaThumbnail: row.media_thumbnail,
    mediaDescription: row.media_description,
    unread: row.unread,
    starred: row.starred,
    rtl: row.rtl,
    lastModifiedMicros: row.last_modified,
  }));

export type FolderRow = z.output<typeof FolderRow>;
export type FeedRow = z.output<typeof FeedRow>;
export type ItemRow = z.output<typeof ItemRow>;

type ExportedRow =
  | { readonly of: 'folder'; readonly row: FolderRow }
  | { readonly of: 'feed'; readonly row: FeedRow }
  | { readonly of: 'item'; readonly row: ItemRow };

/** A line of an export. */
interface Line {
  /** From 1. */
  readonly number: number;
  /** Bytes of the file that are read, of lines behind this one too. */
  readonly bytesRead: number;
  /** Null for an empty line. */
  readonly exported: ExportedRow | null;
}

/** Reads an export line by line. @throws UnreadableExport */
export async function* readRows(file: string): AsyncGenerator<Line, void, undefined> {
  const input = createReadStream(file, { highWaterMark: MIB });
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const tooLong = (line: number) =>
    new UnreadableExport(line, 'is too long; each row stands on a line of its own.');
  let number = 0;
  for await (const line of byteLinesOf(input, tooLong)) {
    number += 1;
    const exported = readRow(decode(utf8, line, number), number);
    yield { number, bytesRead: input.bytesRead, exported };
  }
}

function decode(utf8: TextDecoder, line: Uint8Array, number: number): string {
  try {
    return utf8.decode(line);
  } catch {
    throw new UnreadableExport(
      number,
      'is not UTF-8. Export with a UTF-8 connection, as docs/migration.md shows.',
    );
  }
}

/** A line is a JSON object with the columns of a row, and its table under `table`, with or without the prefix of the installation. */
function readRow(line: string, number: number): ExportedRow | null {
  if (line.trim() === '') {
    return null;
  }
  const row = parseLine(line, number);
  const table = /^(?:.*news_)?(folders|feeds|items)$/.exec(String(row['table']))?.[1];
  switch (table) {
    case 'folders':
      return { of: 'folder', row: parse(FolderRow, row, number) };
    case 'feeds':
      return { of: 'feed', row: parse(FeedRow, row, number) };
    case 'items':
      return { of: 'item', row: parse(ItemRow, row, number) };
    default:
      throw new UnreadableExport(
        number,
        'does not say which table it is from: "table" must be "folders", "feeds" or "items".',
      );
  }
}

function parseLine(line: string, number: number): Record<string, unknown> {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    throw new UnreadableExport(
      number,
      'is not JSON. A line that says NULL is a row the database server found too large for ' +
        'max_allowed_packet.',
    );
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    throw new UnreadableExport(number, 'is not a JSON object.');
  }
  return row as Record<string, unknown>;
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  row: Record<string, unknown>,
  number: number,
): z.output<Schema> {
  const parsed = schema.safeParse(row);
  if (parsed.success) {
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  const column = issue?.path.map(String).join('.') ?? '';
  throw new UnreadableExport(number, `has a wrong value: "${column}" ${issue?.message ?? ''}.`);
}
