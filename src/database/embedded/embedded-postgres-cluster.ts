import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, lchown, open, readdir, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  exists,
  makePrivateFolder,
  type PostgresPaths,
  type ServerAccount,
} from './embedded-postgres-files.js';
import { CLUSTER_DRAFT, withPlainPath, type PostgresRuntime } from './embedded-postgres-runtime.js';

/** Owner of all objects in the embedded server. Access is guarded by the permissions of the socket folder. */
export const EMBEDDED_USER = 'gatefold';

/** Sorts text by code point on every system. */
const INITDB_LOCALE = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
];

/**
 * Creates the data directory of PostgreSQL unless it exists.
 *
 * @throws Error when it exists but cannot be used by this version or user
 */
export async function ensureCluster(
  paths: PostgresPaths,
  runtime: PostgresRuntime,
  signal: AbortSignal,
): Promise<void> {
  if (await exists(paths.clusterDir)) {
    await checkVersion(paths, runtime);
    await checkOwner(paths);
    return;
  }
  // Of its own: the initdb of a killed process may still be writing.
  const draft = path.join(paths.baseDir, `${CLUSTER_DRAFT}${randomUUID()}`);
  await makePrivateFolder(draft, paths.account);
  const create = (initdb: string) => initialise(draft, paths, initdb, signal);
  // initdb passes the paths of its programs to a shell.
  await (/["$`\\]/.test(runtime.initdb) ? withPlainPath(runtime, create) : create(runtime.initdb));
  // The rename is atomic, so that an existing directory is always complete.
  await rename(draft, paths.clusterDir);
  await writeThrough(paths.baseDir);
}

/** Spawn options of server programs: their user, and a clean environment. */
export function asServerAccount(paths: PostgresPaths): {
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd: string;
  readonly env: Record<string, string>;
} {
  const who = paths.account === undefined ? {} : { uid: paths.account.uid, gid: paths.account.gid };
  // Variables such as PGPORT would change the server's behaviour, LC_ALL the language of its log.
  return { ...who, cwd: paths.socketDir, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } };
}

/** Describes how a program ended, for instance "ended with code 1". */
export async function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missingLoader = 'ENOENT' === error.code && process.platform === 'linux';
      const hint = missingLoader
        ? ' (it needs a system with glibc; set DATABASE_URL to use a server of your own)'
        : '';
      resolve(`could not be run: ${error.message}${hint}`);
    });
    child.once('close', (code, signal) => {
      resolve(code === null ? `was ended by ${signal}` : `ended with code ${code}`);
    });
  });
}

/** Polls of ours, while a server starts. */
const OF_POLLS = /the database system is /;

/** What a program of PostgreSQL says is wrong, as the end of a clause; empty if it does not. */
export function causeIn(output: string): string {
  const causes = output.match(/(?<=(?:PANIC|FATAL|ERROR|error): +)\S.*/g);
  const cause = causes?.find((text) => !OF_POLLS.test(text));
  return cause === undefined ? '' : `: ${cause}`;
}

async function initialise(
  folder: string,
  paths: PostgresPaths,
  program: string,
  signal: AbortSignal,
): Promise<void> {
  const initdb = spawn(
    program,
    ['-D', folder, '-U', EMBEDDED_USER, '--auth=trust', ...INITDB_LOCALE],
    { ...asServerAccount(paths), signal, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  initdb.stdout.on('data', (text: Buffer) => (output += text.toString()));
  initdb.stderr.on('data', (text: Buffer) => (output += text.toString()));
  const how = await exitOf(initdb);
  signal.throwIfAborted();
  if (how !== 'ended with code 0') {
    throw new Error(
      `The embedded database could not be created: initdb ${how}${causeIn(output)}. Mend that, or set ` +
        `DATABASE_URL to a PostgreSQL server.\n${output.trim()}`,
    );
  }
}

async function checkVersion(paths: PostgresPaths, runtime: PostgresRuntime): Promise<void> {
  const version = (await readFile(path.join(paths.clusterDir, 'PG_VERSION'), 'utf8')).trim();
  if (version !== runtime.majorVersion) {
    throw new Error(
      `The database in ${paths.clusterDir} is of PostgreSQL ${version}, but this version of ` +
        `Gatefold includes PostgreSQL ${runtime.majorVersion}; see docs/operations/upgrade.md.`,
    );
  }
}

/** Files restored by root may belong to root, or to the uid of another machine. */
async function checkOwner(paths: PostgresPaths): Promise<void> {
  const { uid } = await stat(paths.clusterDir);
  if (paths.account !== undefined && uid !== paths.account.uid) {
    await giveTo(paths.account, paths.clusterDir);
  }
}

async function giveTo(account: ServerAccount, folder: string): Promise<void> {
  await chown(folder, account.uid, account.gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(path.join(entry.parentPath, entry.name), account.uid, account.gid);
  }
}

async function writeThrough(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}
