import { spawn, type ChildProcess } from 'node:child_process';
import { chown, lchown, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  exists,
  makePrivateFolder,
  type PostgresPlace,
  type ServerAccount,
} from './embedded-postgres-files.js';
import type { PostgresRuntime } from './embedded-postgres-runtime.js';

/** Owner of everything in the embedded server; only its socket folder guards it. */
export const EMBEDDED_USER = 'gatefold';

/** Texts sort by code point, whatever languages the system knows. */
const SORTED_AS_ON_EVERY_SYSTEM = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
];

/**
 * Makes the folder that PostgreSQL keeps its databases in, unless it is there.
 *
 * @throws Error when it is there but cannot be used by this version or this user
 */
export async function ensureCluster(place: PostgresPlace, runtime: PostgresRuntime): Promise<void> {
  if (await exists(place.clusterDir)) {
    await checkVersion(place, runtime);
    await checkOwner(place);
    return;
  }
  const draft = path.join(place.baseDir, 'data-draft');
  await rm(draft, { recursive: true, force: true });
  await makePrivateFolder(draft, place.account);
  await initialise(draft, place, runtime);
  // The last step is one rename, so that a cluster which is there is whole.
  await rename(draft, place.clusterDir);
  await writeThrough(place.baseDir);
}

/** How a server program is run: as the right user, and with nothing of our own environment. */
export function asServerAccount(place: PostgresPlace): {
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd: string;
  readonly env: Record<string, string>;
} {
  const who = place.account === undefined ? {} : { uid: place.account.uid, gid: place.account.gid };
  // Variables such as PGPORT would change what the server does, LC_ALL the language of its log.
  return { ...who, cwd: place.socketDir, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } };
}

/** How a program ended, for instance "ended with code 1". */
export async function endOf(child: ChildProcess): Promise<string> {
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

async function initialise(
  folder: string,
  place: PostgresPlace,
  runtime: PostgresRuntime,
): Promise<void> {
  const initdb = spawn(
    runtime.initdb,
    ['-D', folder, '-U', EMBEDDED_USER, '--auth=trust', ...SORTED_AS_ON_EVERY_SYSTEM],
    { ...asServerAccount(place), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  initdb.stdout.on('data', (text: Buffer) => (output += text.toString()));
  initdb.stderr.on('data', (text: Buffer) => (output += text.toString()));
  const how = await endOf(initdb);
  if (how !== 'ended with code 0') {
    throw new Error(
      `The embedded database could not be created: initdb ${how}. Mend what it says below, or set ` +
        `DATABASE_URL to a server of your own.\n${output.trim()}`,
    );
  }
}

async function checkVersion(place: PostgresPlace, runtime: PostgresRuntime): Promise<void> {
  const version = (await readFile(path.join(place.clusterDir, 'PG_VERSION'), 'utf8')).trim();
  if (version !== runtime.majorVersion) {
    throw new Error(
      `The database in ${place.clusterDir} is one of PostgreSQL ${version}, but this version of ` +
        `Gatefold brings PostgreSQL ${runtime.majorVersion}; see docs/operations.md.`,
    );
  }
}

/** A backup that root has put back belongs to root, or to whoever had the number elsewhere. */
async function checkOwner(place: PostgresPlace): Promise<void> {
  const { uid } = await stat(place.clusterDir);
  if (place.account !== undefined && uid !== place.account.uid) {
    await giveTo(place.account, place.clusterDir);
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
