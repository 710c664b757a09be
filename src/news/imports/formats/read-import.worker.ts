import { parentPort, workerData } from 'node:worker_threads';
import type { ImportedRow } from '../imported-row.js';
import { UnreadableImport } from './found-row.js';
import type { FormatName } from './found-row.js';
import { ImportParsing, type ImportLimits, type ImportSummary } from './parse-import.js';

/** Answer to each message of the main thread. Errors lose their class in transit, hence `kind`. */
export type ImportAnswer =
  | { readonly kind: 'rows'; readonly format: FormatName; readonly rows: readonly ImportedRow[] }
  | { readonly kind: 'end'; readonly summary: ImportSummary }
  | { readonly kind: 'unreadable' | 'failed'; readonly message: string };

const { file, limits } = workerData as { readonly file: string; readonly limits: ImportLimits };
const parsing = new ImportParsing(limits);
const batches = parsing.rows(file);

parentPort?.on('message', () => {
  void next().then((answer) => parentPort?.postMessage(answer, []));
});

async function next(): Promise<ImportAnswer> {
  try {
    const { done, value } = await batches.next();
    return done === true || parsing.format === null
      ? { kind: 'end', summary: parsing.summary }
      : { kind: 'rows', format: parsing.format, rows: value ?? [] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: error instanceof UnreadableImport ? 'unreadable' : 'failed', message };
  }
}
