import { MikroORM } from '@mikro-orm/postgresql';
import type { Command } from 'commander';
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import { fileRefused } from '../../common/command-line/file-refused.js';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { say } from '../../common/command-line/say.js';
import type { Get, WithApp, OtherApps } from '../../common/command-line/with-app.js';
import { Config } from '../../common/config/config.js';
import { dataFolderMode } from '../../common/data-folder.js';
import { errorCode } from '../../common/http/outgoing-errors.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { BackupContentsOffer, type BackupContents } from '../../common/ports/backup-contents.js';
import { RestoreHooks } from '../../common/ports/hooks.js';
import { SecretBox, secretKeyOf } from '../../common/secrets/secret-box.js';
import { sizeText } from '../../common/size-text.js';
import { Database } from '../database.js';
import { withDatabaseAlone } from '../server/database-alone.js';
import { noteFinishedRestore } from '../unfinished-restore.js';
import type { BackupHeader } from './backup-file.js';
import { BackupReader } from './backup-reader.js';
import { restoreBackup, restoreContents } from './restore-backup.js';
import { openKey, sealKey } from './sealed-key.js';
import { verifyBackup, type Verified } from './verify-backup.js';
import { streamBackup, writeBackup, type BackupParts, type Written } from './write-backup.js';

/** Stdin or stdout. */
const STANDARD = '-';

interface BackupOptions {
  readonly files: boolean;
}

interface RestoreOptions {
  readonly replace?: boolean;
}

/** The operator's commands for backups. */
export function registerBackupCommands(
  program: Command,
  _withApp: WithApp,
  access: OtherApps,
): void {
  inOwnProcess(program.command('backup <file>'))
    .description(
      'write database and files to a new file, or - for stdout; the service may be running',
    )
    .option('--no-files', "leave out the contents of users' files, to copy them another way")
    .action(async (file: string, options: BackupOptions) => {
      const report = await access.asItIs(async (get) => {
        const contents = options.files ? get(BackupContentsOffer).service : undefined;
        const written = await write(get, file, contents);
        await noteBackup(get, file);
        return describeWritten(get(Config), file, written, { files: contents !== undefined });
      });
      // The backup itself may go to stdout.
      (file === STANDARD ? complain : say)(report);
    });

  inOwnProcess(program.command('backup:verify <file>'))
    .description('read a backup to its end and compare its checksum; - for stdin')
    .action(async (file: string) => {
      const reader = BackupReader.open(file);
      try {
        say(describeVerified(file, await verifyBackup(reader)));
      } catch (error) {
        throw explained(error, file);
      } finally {
        await reader.close();
      }
    });

  inOwnProcess(program.command('restore <file>'))
    .description('fill an empty installation from a backup, before the first start; - for stdin')
    .option('--replace', 'delete everything in a database that is not empty')
    .action(async (file: string, { replace = false }: RestoreOptions) => {
      await assertWhole(file);
      const reader = BackupReader.open(file);
      try {
        say(await restore(reader, replace, access));
      } catch (error) {
        throw explained(error, file);
      } finally {
        await reader.close();
      }
    });
}

/** The backup is complete even if this fails, for instance on a database that takes no changes. */
async function noteBackup(get: Get, file: string): Promise<void> {
  const details = file === STANDARD ? 'to standard output' : path.basename(file);
  try {
    await get(AdministrationLog).record({ kind: 'backup_written', details });
  } catch (error) {
    complain(`The audit log does not mention this backup: ${(error as Error).message}`);
  }
}

async function write(get: Get, file: string, contents?: BackupContents): Promise<Written> {
  const config = get(Config);
  const abort = new AbortController();
  const stop = () => abort.abort(new CommandRefused('The backup was interrupted.'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const parts: BackupParts = {
    signal: abort.signal,
    keyFingerprint: get(SecretBox).fingerprint,
    ...(contents && { contents }),
    ...(config.backupPassphrase !== undefined && {
      key: await sealKey(secretKeyOf(config), config.backupPassphrase),
    }),
  };
  try {
    return file === STANDARD
      ? await streamBackup(get(MikroORM), process.stdout, parts)
      : await writeBackup(get(MikroORM), file, parts);
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : explained(error, file);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** A restore from a damaged file would end in the middle. Stdin cannot be read twice. */
async function assertWhole(file: string): Promise<void> {
  if (file === STANDARD) {
    return;
  }
  const reader = BackupReader.open(file);
  try {
    await verifyBackup(reader);
  } catch (error) {
    throw explained(error, file);
  } finally {
    await reader.close();
  }
}

async function restore(
  reader: BackupReader,
  replace: boolean,
  { settings, restored: withRestored }: OtherApps,
): Promise<string> {
  const config = settings();
  const restored = await withDatabaseAlone(config, (orm) =>
    restoreBackup(orm, reader, { replace }),
  );
  const { header } = restored;
  const keyNote = await restoreKey(config, header);
  return withRestored(async (get) => {
    await get(RestoreHooks).run();
    const contents = get(BackupContentsOffer).service;
    if (header.hasContents && contents === undefined) {
      throw new CommandRefused(
        'The backup has files of users, but this service runs without files.',
      );
    }
    if (contents && header.hasContents && !(await contents.take(replace))) {
      throw new CommandRefused(
        `${contents.place} has the files of another installation. Move it away, and restore again with --replace.`,
      );
    }
    const end = await restoreContents(header, reader, contents);
    await noteFinishedRestore(get(Database));
    return [
      `Restored ${total(restored.rows)} rows of ${Object.keys(restored.rows).length} tables, as of ${header.createdAt}.`,
      ...(restored.hasJobs ? [] : [JOBS_SKIPPED]),
      end === null
        ? `The backup has no files. Before the start, restore ${contents?.place ?? 'the folder of files'}, the contents of users' files.`
        : `Restored ${end.contents} contents of files (${sizeText(end.contentBytes)}).${missingNote(end.missing)}`,
      keyNote ?? describeKey(header, get(SecretBox).fingerprint),
      'Then start the service. Clients synchronise as usual.',
    ].join('\n');
  });
}

const JOBS_SKIPPED =
  'Waiting jobs (events and tasks for external apps) were skipped: their schema has another version.';

/** @returns a note for the operator, or null when the key is not in the backup */
async function restoreKey(config: Config, { key }: BackupHeader): Promise<string | null> {
  if (key === undefined || config.backupPassphrase === undefined) {
    return null;
  }
  const secretKey = await openKey(key, config.backupPassphrase);
  if (secretKey === null) {
    return 'GATEFOLD_BACKUP_PASSPHRASE does not open the secret key in the backup. Set the right one, and restore again with --replace; or restore the key yourself.';
  }
  if (config.secretKey !== undefined) {
    return config.secretKey === secretKey
      ? null
      : 'GATEFOLD_SECRET_KEY is not the key of the backup. Unset it, and restore again with --replace.';
  }
  const file = path.join(config.dataDir, 'secret.key');
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) {
    return secretKeyOf(config) === secretKey
      ? null
      : `${file} is another key than that of the backup. Remove it, and restore again with --replace.`;
  }
  await mkdir(config.dataDir, { recursive: true, mode: dataFolderMode() });
  await writeFile(file, secretKey, { mode: 0o600, flag: 'wx' });
  return `The secret key was restored to ${file}.`;
}

function describeKey({ keyFingerprint }: BackupHeader, own: string): string {
  if (keyFingerprint === own) {
    return 'The secret key is that of the backup.';
  }
  return (
    `The secret key here (${own}) is not that of the backup (${keyFingerprint ?? 'unknown'}). Restore ` +
    'secret.key to the data folder, or set GATEFOLD_SECRET_KEY. If it is lost, "gatefold secrets:reset" lists what that means.'
  );
}

function describeWritten(
  config: Config,
  file: string,
  { rows, contents, contentBytes, missing }: Written,
  { files }: BackupOptions,
): string {
  const name = file === STANDARD ? 'The backup' : file;
  const what = `${name} has ${total(rows)} rows of ${Object.keys(rows).length} tables`;
  const keep = [
    ...(files ? [] : [`  ${path.join(config.dataDir, 'files')}, the contents of users' files`]),
    ...(config.backupPassphrase === undefined
      ? [
          config.secretKey === undefined
            ? `  ${path.join(config.dataDir, 'secret.key')}, the key of everything sealed in the database`
            : '  the value of GATEFOLD_SECRET_KEY, the key of everything sealed in the database',
        ]
      : ['  the passphrase, which opens the secret key in it']),
  ];
  const withFiles = files ? ` and ${contents} contents of files (${sizeText(contentBytes)})` : '';
  return `${what}${withFiles}.${missingNote(missing)}\nKeep with it:\n${keep.join('\n')}`;
}

function missingNote(missing: number): string {
  return missing === 0 ? '' : ` ${missing} contents were missing in the folder of files.`;
}

function describeVerified(file: string, { header, rows, end }: Verified): string {
  return [
    `${file === STANDARD ? 'The input' : file} is complete: ${total(rows)} rows of ${Object.keys(rows).length} tables, ` +
      `as of ${header.createdAt}, by Gatefold ${header.version}.`,
    end === null || !header.hasContents
      ? "It does not have the contents of users' files."
      : `It has ${end.contents} contents of files (${sizeText(end.contentBytes)}).${missingNote(end.missing)}`,
    header.key === undefined
      ? `It does not have the secret key (${header.keyFingerprint ?? 'unknown'}).`
      : `It has the secret key (${header.keyFingerprint}), encrypted with a passphrase.`,
    'This version of Gatefold can restore it.',
  ].join('\n');
}

/** @param file whose errors concern the operator */
function explained(error: unknown, file: string): unknown {
  const { path: failed } = error as NodeJS.ErrnoException;
  if (failed !== undefined && !failed.startsWith(file)) {
    return error;
  }
  const sentence = SENTENCES[errorCode(error)];
  return sentence === undefined ? fileRefused(error, file) : new CommandRefused(sentence);
}

const FULL = 'The disk is full. No backup was written; make room, or use another disk.';

const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EPIPE: 'The program that reads the backup ended before it was complete.',
};

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

function total(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}
