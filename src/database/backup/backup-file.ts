import { z } from 'zod';
import { inNamesOfToday } from '../migration-names.js';
import { SealedKey } from './sealed-key.js';

/**
 * A backup is gzipped: a header as a line of JSON; for each table a line of JSON, its rows in the
 * format of COPY, and the line `\.`; a summary of the rows as a line of JSON; for each content of
 * users' files a line of JSON and its bytes; and an end as a line of JSON. A file without the end is
 * incomplete. Format 1 ends with the summary.
 */
export const END_OF_ROWS = '\\.';

export const BACKUP_FORMAT = 'gatefold backup 2';

export const BackupHeader = z.object({
  format: z.enum(['gatefold backup 1', BACKUP_FORMAT]),
  /** Version of Gatefold. */
  version: z.string(),
  createdAt: z.string(),
  /** Names of the migrations of its schema, oldest first. */
  migrations: z.array(z.string()).min(1).transform(inNamesOfToday),
  /** Version of pg-boss's schema. */
  jobSchema: z.number(),
  /** Fingerprint of the installation's secret key. */
  keyFingerprint: z.string().optional(),
  /** The secret key itself, if the backup was made with a passphrase. */
  key: SealedKey.optional(),
  /** Whether the contents of users' files follow the rows. */
  hasContents: z.boolean().default(false),
});
export type BackupHeader = z.output<typeof BackupHeader>;

/** Names are quoted SQL identifiers. */
export const BackupTable = z.object({ table: z.string(), columns: z.array(z.string()).min(1) });
export type BackupTable = z.output<typeof BackupTable>;

export const BackupSummary = z.object({
  /** Rows by table. */
  rows: z.record(z.string(), z.number()),
  /** Last values by name, without unused sequences. */
  sequences: z.record(z.string(), z.string()),
});
export type BackupSummary = z.output<typeof BackupSummary>;

/** Header of a content; its bytes follow. */
export const BackupContent = z.object({
  content: z.string().regex(/^[0-9a-f-]{36}$/),
  bytes: z.number().int().nonnegative(),
});
export type BackupContent = z.output<typeof BackupContent>;

export const BackupEnd = z.object({
  contents: z.number(),
  contentBytes: z.number(),
  /** Contents that the database knows but that were not found. */
  missing: z.number(),
  /** Hex, of everything before this line. */
  sha256: z.string(),
});
export type BackupEnd = z.output<typeof BackupEnd>;
