import { parse } from 'csv-parse';
import { Readable } from 'node:stream';
import {
  fieldsOf,
  LONGEST_ROW,
  REASONS,
  rowOf,
  type Fields,
  type FormatName,
  type Found,
  type FoundRow,
  type Raw,
} from './found-row.js';

interface TableFormat {
  readonly name: FormatName;
  /** Columns by which it is known. */
  readonly columns: readonly string[];
  readonly fields: Fields;
  readonly more: (row: Readonly<Record<string, string>>) => FoundRow | string;
}

/** Addresses of what people mailed or uploaded to Readwise Reader. */
const OF_READWISE =
  /^(?:(?!https?:)[a-z]+:|https:\/\/(?:read\.readwise\.io|readwise\.io\/reader)\/)/i;

const TABLES: readonly TableFormat[] = [
  {
    name: 'pocket',
    columns: ['url', 'time_added', 'status'],
    fields: fieldsOf('url title saved=time_added'),
    more: ({ status, tags = '' }) => ({ read: status === 'archive', labels: tags.split('|') }),
  },
  {
    name: 'instapaper',
    columns: ['url', 'title', 'selection', 'folder'],
    fields: fieldsOf('url title saved=timestamp'),
    more: ({ folder = '', selection, tags = '' }) => ({
      // The folder of a starred one does not say whether it was read.
      read: folder === 'Starred' ? null : folder !== 'Unread',
      starred: folder === 'Starred',
      labels: [
        ...stringsIn(tags),
        ...(['Unread', 'Archive', 'Starred', ''].includes(folder) ? [] : [folder]),
      ],
      highlights: [{ text: selection }],
    }),
  },
  {
    name: 'readwise-reader',
    columns: ['url', 'document_tags', 'saved_date'],
    fields: fieldsOf('url title saved=saved_date'),
    more: ({ location, url = '', document_tags: tags = '' }) => {
      if (location === 'feed') {
        return REASONS.ofFeed;
      }
      const labels = stringsIn(tags);
      return OF_READWISE.test(url) ? REASONS.internal : { read: location === 'archive', labels };
    },
  },
  {
    name: 'raindrop',
    columns: ['url', 'excerpt', 'folder', 'created'],
    fields: fieldsOf('url title saved=created starred=favorite note'),
    more: ({ folder = '', tags = '', highlights = '' }) => ({
      labels: [...tags.split(','), ...(folder === 'Unsorted' ? [] : [folder])],
      highlights: highlights
        .split(/^\s*(?=Highlight:)/m)
        .map((it) => /^Highlight:\s*(.*?)(?:\n\s*Note:\s*(.*))?$/s.exec(it.trim()))
        .map((parts) => ({ text: parts?.[1], note: parts?.[2] })),
    }),
  },
];

/** Strings in quotes, in a list of JSON or Python: `["night"]`, `['night', "it's"]`. */
function stringsIn(list: string): readonly string[] {
  return [...list.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs)].map(
    ([, single, double = '']) => (single ?? double).replace(ESCAPE, unescaped),
  );
}

const ESCAPE = /\\(?:u([0-9a-f]{4})|U([0-9a-f]{8})|x([0-9a-f]{2})|(.))/gis;
const LINE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', ' '],
  ['t', '\t'],
]);

function unescaped(_all: string, u?: string, long?: string, x?: string, other = ''): string {
  const code = u ?? long ?? x;
  if (code === undefined) {
    return LINE_ESCAPES.get(other) ?? other;
  }
  const codePoint = Number.parseInt(code, 16);
  return codePoint > 0x10_ff_ff ? '' : String.fromCodePoint(codePoint);
}

export interface Table {
  readonly format: TableFormat;
  readonly delimiter: string;
}

/** The table whose heading a text begins with; null for another one. */
export function tableOf(head: string): Table | null {
  const heading = /^\s*(.*)/.exec(head)?.[1] ?? '';
  for (const delimiter of [',', ';', '\t']) {
    const columns = new Set(heading.split(delimiter).map(columnName));
    const format = TABLES.find((table) => table.columns.every((name) => columns.has(name)));
    if (format !== undefined) {
      return { format, delimiter };
    }
  }
  return null;
}

const columnName = (name: string) =>
  name
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase()
    .replaceAll(' ', '_');

/** The rows of a table. One that breaks off, or has too few columns, is told. */
export async function* tableRows(
  { format, delimiter }: Table,
  text: AsyncIterable<string>,
): AsyncGenerator<Found> {
  const parser = parse({
    bom: true,
    columns: (names: string[]) => names.map(columnName),
    delimiter,
    info: true,
    max_record_size: LONGEST_ROW,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  const source = Readable.from(text);
  source.on('error', (error) => parser.destroy(error));
  let number = 0;
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<CsvRecord>) {
      number += 1;
      const isShort = info.error?.code === 'CSV_RECORD_INCONSISTENT_COLUMNS';
      const further = isShort ? REASONS.damaged : format.more(record as Record<string, string>);
      yield typeof further === 'string'
        ? { at: number, reason: further }
        : { at: number, row: { ...rowOf(record, format.fields), ...further } };
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_'))) {
      throw error;
    }
    yield { at: number + 1, reason: REASONS.cut };
  } finally {
    source.destroy();
    parser.destroy();
  }
}

interface CsvRecord {
  readonly record: Raw;
  readonly info: { readonly error?: { readonly code: string } };
}
