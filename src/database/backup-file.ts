import { z } from 'zod';

/**
 * A backup is gzipped text: a header as a line of JSON; for each table a line of JSON, its rows in
 * the format of COPY, and the line `\.`; and a summary as a line of JSON. A file without the summary is
 * incomplete.
 */
export const END_OF_ROWS = '\\.';

export const BackupHeader = z.object({
  format: z.literal('gatefold backup 1'),
  /** Of Gatefold. */
  version: z.string(),
  createdAt: z.string(),
  /** Names of the migrations of its schema, oldest first. */
  migrations: z.array(z.string()).min(1),
  /** Version of pg-boss's schema. */
  jobSchema: z.number(),
});
export type BackupHeader = z.output<typeof BackupHeader>;

/** Names are quoted SQL identifiers. */
export const BackupTable = z.object({ table: z.string(), columns: z.array(z.string()).min(1) });
export type BackupTable = z.output<typeof BackupTable>;

export const BackupSummary = z.object({
  /** By table. */
  rows: z.record(z.string(), z.number()),
  /** Last values by name, without unused sequences. */
  sequences: z.record(z.string(), z.string()),
});
export type BackupSummary = z.output<typeof BackupSummary>;

/** Splits bytes into lines, line ends included. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const line = chunk.subarray(from, end + 1);
      yield begun.length === 0 ? line : Buffer.concat([...begun, line]);
      begun = [];
      from = end + 1;
    }
    if (from < chunk.length) {
      begun.push(chunk.subarray(from));
    }
  }
  if (begun.length > 0) {
    yield Buffer.concat(begun);
  }
}
