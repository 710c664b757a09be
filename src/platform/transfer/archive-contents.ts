import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type {
  TransferEntry,
  TransferNotes,
  TransferExport,
  TransferWish,
} from '../../common/ports/account-transfer.js';
import { GATEFOLD_VERSION } from '../../common/version.js';
import { zip, type ZipEntry } from '../../common/zip.js';

/** Of the archive; higher ones may hold what older versions do not understand. */
export const ARCHIVE_VERSION = 1;

/** The last entry: an archive without it is not whole. */
export const MANIFEST = 'manifest.json';

const ENTRIES_AT_ONCE = 1000;

const README = `This archive is everything that Gatefold kept for one account.

subscriptions.opml   your feeds and folders, for any feed reader. Words that begin
                     with "gatefold:" are settings that only Gatefold knows.
starred.json         articles with a star; labelled.json: with a label, without a star;
saved.json           pages that you kept, and articles with highlights.
                     FreshRSS and other readers import these three files.
read.ndjson          which articles you have read: one a line.
labels.json, highlights.ndjson, rules.json, searches.json, notices.json, reader.json,
apps.json            what you made of your articles, and how you set up the reader.
account.json, audit.ndjson, preferences.json
                     your account, what the log of the service says of it, your settings.
files/, chat/        your files, and the conversations that you take part in.
manifest.json        what is in here, with checksums, and what was left out and why.
                     Written last: an archive without it is not complete.

To take it to another Gatefold, choose it there under "Import" in the feed reader.
Words in .json and .ndjson files are UTF-8. Times are seconds since 1970.
`;

interface ListedEntry {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What `manifest.json` says. */
export interface Manifest {
  readonly format: 'gatefold-account';
  readonly version: number;
  readonly gatefold: string;
  /** Unix seconds. */
  readonly created: number;
  readonly user: string;
  readonly withFiles: boolean;
  readonly withSecrets: boolean;
  /** By plural nouns. */
  readonly counts: Readonly<Record<string, number>>;
  readonly leftOut: readonly { readonly what: string; readonly reason: string }[];
  readonly entries: readonly ListedEntry[];
}

/** The archive of an account, while it is made: ends with its manifest. */
export function archiveOf(
  wish: TransferWish,
  parts: readonly TransferExport[],
  now: Date,
  onEntry: (count: number) => void = () => {},
): Readable {
  return zip(entriesOf(wish, parts, Math.floor(now.getTime() / 1000), onEntry));
}

async function* entriesOf(
  wish: TransferWish,
  parts: readonly TransferExport[],
  nowSeconds: number,
  onEntry: (count: number) => void,
): AsyncGenerator<ZipEntry, void, undefined> {
  const { userId, withFiles, withSecrets } = wish;
  const counts = new Map<string, number>();
  const leftOut = new Map<string, string>();
  const notes: TransferNotes = {
    count: (what, number = 1) => counts.set(what, (counts.get(what) ?? 0) + number),
    leaveOut: (what, reason) => leftOut.set(what, reason),
  };
  // As they are written: there may be very many.
  const entries: string[] = [];
  const note = (entry: ListedEntry) => void entries.push(JSON.stringify(entry));
  const toZip = ({ path, open, ...entry }: TransferEntry): ZipEntry => ({
    name: path,
    mtimeSeconds: entry.mtimeSeconds ?? nowSeconds,
    sizeBytes: entry.sizeBytes,
    isCompressed: entry.isCompressed ?? false,
    open: open && (async () => readable(noted(await open(), path, note))),
  });
  yield toZip({ path: 'README.txt', open: () => texts(README) });
  for (const part of parts) {
    for await (const entry of part(wish, notes)) {
      yield toZip(entry);
      onEntry(entries.length);
    }
  }
  const head: Omit<Manifest, 'entries'> = {
    format: 'gatefold-account',
    version: ARCHIVE_VERSION,
    gatefold: GATEFOLD_VERSION,
    created: nowSeconds,
    user: userId,
    withFiles,
    withSecrets,
    counts: Object.fromEntries(counts),
    leftOut: [...leftOut].map(([what, reason]) => ({ what, reason })),
  };
  yield toZip({ path: MANIFEST, open: () => manifestOf(head, entries.splice(0)) });
}

/** Its format comes first: who reads it need not read all of it to know what it is. */
async function* manifestOf(
  head: Omit<Manifest, 'entries'>,
  entries: readonly string[],
): AsyncGenerator<string> {
  yield `${JSON.stringify(head, null, 1).slice(0, -2)},\n "entries": [\n`;
  for (let at = 0; at < entries.length; at += ENTRIES_AT_ONCE) {
    const some = entries.slice(at, at + ENTRIES_AT_ONCE);
    yield `  ${some.join(',\n  ')}${at + ENTRIES_AT_ONCE < entries.length ? ',' : ''}\n`;
  }
  yield ' ]\n}\n';
}

const readable = (content: AsyncIterable<Uint8Array>) =>
  Readable.from(content, { objectMode: false });

async function* texts(text: string): AsyncGenerator<string> {
  yield text;
}

/** Passes on a content, and tells its size and digest at the end. */
async function* noted(
  content: AsyncIterable<string | Uint8Array>,
  path: string,
  onEnd: (entry: ListedEntry) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of content) {
    const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece;
    hash.update(chunk);
    bytes += chunk.length;
    if (chunk.length > 0) {
      yield chunk;
    }
  }
  onEnd({ path, bytes, sha256: hash.digest('hex') });
}
