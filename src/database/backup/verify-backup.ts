import { LAST_FORMER_COMMIT, unknownOf, whyTooOld } from '../migration-names.js';
import type { BackupEnd, BackupHeader, BackupSummary } from './backup-file.js';
import type { BackupReader } from './backup-reader.js';
import { BackupRefused } from './backup-refused.js';

/** Summary of a complete backup. */
export interface Verified {
  readonly header: BackupHeader;
  readonly rows: BackupSummary['rows'];
  /** Null in a backup of format 1. */
  readonly end: BackupEnd | null;
}

/**
 * Reads a backup to its end, and compares its checksum and numbers.
 *
 * @throws BackupRefused if it is incomplete, damaged, of a newer version or too old
 */
export async function verifyBackup(reader: BackupReader): Promise<Verified> {
  const header = await reader.header();
  assertKnown(header);
  const rows = await verifyRows(reader);
  const end = header.format === 'gatefold backup 1' ? null : await verifyContents(reader);
  return { header, rows, end };
}

/** @throws BackupRefused for a backup of a newer version, or of one that is too old */
export function assertKnown({ migrations, version }: BackupHeader): void {
  const tooOld = whyTooOld(migrations);
  if (tooOld !== null) {
    throw new BackupRefused(
      `${tooOld.text} Restore it with commit ${LAST_FORMER_COMMIT} of Gatefold, start that once, and ` +
        'make a new backup (docs/operations/upgrade.md).',
    );
  }
  const unknown = unknownOf(migrations);
  if (unknown.length > 0) {
    throw new BackupRefused(
      `The backup is of a newer version of Gatefold (${version}; unknown: ${unknown.join(', ')}). ` +
        'Restore it with that version.',
    );
  }
}

async function verifyRows(reader: BackupReader): Promise<BackupSummary['rows']> {
  const counted: Record<string, number> = {};
  for (;;) {
    const next = await reader.tableOrSummary();
    if (!('table' in next)) {
      assertSame(counted, next.rows, reader);
      return counted;
    }
    counted[next.table] = await countRows(reader);
  }
}

async function countRows(reader: BackupReader): Promise<number> {
  let count = 0;
  for await (const chunk of reader.rows()) {
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, end + 1)) {
      count += 1;
    }
  }
  return count;
}

/** @throws BackupRefused when numbers of rows differ */
export function assertSame(
  counted: Readonly<Record<string, number>>,
  announced: Readonly<Record<string, number>>,
  reader: BackupReader,
): void {
  if (Object.entries(counted).some(([table, count]) => announced[table] !== count)) {
    throw reader.notComplete();
  }
}

async function verifyContents(reader: BackupReader): Promise<BackupEnd> {
  let contents = 0;
  for (;;) {
    const next = await reader.contentOrEnd();
    if (!('content' in next)) {
      if (next.contents !== contents) {
        throw reader.notComplete();
      }
      return next;
    }
    contents += 1;
    for await (const _chunk of reader.bytes(next.bytes)) {
      // Hashed by the reader.
    }
  }
}
