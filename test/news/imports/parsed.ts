import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UnreadableImport } from '../../../src/news/imports/formats/found-row.js';
import { ImportParsing } from '../../../src/news/imports/formats/parse-import.js';
import type { ImportedRow, NamedFeed } from '../../../src/news/imports/imported-row.js';

/** Values of rows about which a file says nothing. */
const EMPTY = new Set(['null', 'false', '[]']);

export const LIMITS = { mostRows: 100_000, mostUnpackedBytes: 1024 ** 3 };

export interface Parsed {
  readonly format: string | null;
  /** Without what is empty, apart from `isRead`. */
  readonly rows: readonly Partial<ImportedRow>[];
  readonly leftOut?: readonly string[];
  readonly feeds?: readonly NamedFeed[];
  /** How many files. */
  readonly opml?: number;
}

/** What an import has of a file; as `refused` the sentence for one that cannot be imported. */
export async function parsed(
  file: Uint8Array | string,
  limits = LIMITS,
): Promise<Parsed | { readonly refused: string }> {
  return withFile(file, async (place) => {
    const parsing = new ImportParsing(limits);
    try {
      const rows: ImportedRow[] = [];
      for await (const batch of parsing.rows(place)) {
        rows.push(...batch);
      }
      const { leftOut, feeds, opml } = parsing.summary;
      const { places } = leftOut;
      return {
        format: parsing.format,
        rows: rows.map(withoutEmpty),
        ...(places.length > 0 && { leftOut: places.map((it) => `${it.place} – ${it.reason}`) }),
        ...(feeds.length > 0 && { feeds }),
        ...(opml.length > 0 && { opml: opml.length }),
      };
    } catch (error) {
      if (!(error instanceof UnreadableImport)) {
        throw error;
      }
      return { refused: error.message };
    }
  });
}

/** Puts a file on the disk for a while. */
export async function withFile<Result>(
  file: Uint8Array | string,
  use: (place: string) => Promise<Result>,
): Promise<Result> {
  const place = path.join(tmpdir(), `gatefold-import-${randomUUID()}`);
  await writeFile(place, file);
  try {
    return await use(place);
  } finally {
    await rm(place);
  }
}

function withoutEmpty(row: ImportedRow): Partial<ImportedRow> {
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name, value]) => (name === 'isRead' && value !== null) || !EMPTY.has(JSON.stringify(value)),
    ),
  );
}
