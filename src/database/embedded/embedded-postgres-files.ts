import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { dataFolderMode } from '../../common/data-folder.js';

/** A user of the operating system. */
export interface ServerAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Folders and files of the embedded server, and the account it runs as. */
export interface PostgresPaths {
  /** Contains the rest, and the lock files of processes that share the server. */
  readonly baseDir: string;
  readonly clusterDir: string;
  readonly socketDir: string;
  readonly logFile: string;
  /** Set when this process is root, which PostgreSQL refuses to run as. */
  readonly account: ServerAccount | undefined;
}

/** Used if the server's account cannot reach the data folder. */
const SYSTEM_DIR = '/var/lib/gatefold';

/** File in the data folder with the path of a database in `SYSTEM_DIR`. */
const POINTER_FILE = 'moved-to.txt';

export const SOCKET_NAME = '.s.PGSQL.5432';

/** The limit is 107 bytes on Linux, 103 on macOS. */
const MAX_SOCKET_PATH_BYTES = 100;

/**
 * Determines the paths for a data folder, always the same ones, and creates the folders.
 *
 * @throws Error when the database exists but its account cannot reach it
 */
export async function preparePostgresPaths(
  dataDir: string,
  log: (line: string) => void,
): Promise<PostgresPaths> {
  const isRoot = process.getuid?.() === 0;
  const account = isRoot ? await unprivilegedAccount() : undefined;
  await mkdir(dataDir, { recursive: true, mode: dataFolderMode() });
  const baseDir = await findBaseDir(dataDir, account, log);
  // Traversable but not readable by others: the server's account has to reach its folders below.
  await makeFolder(baseDir, isRoot ? 0o711 : 0o700);
  return {
    baseDir,
    clusterDir: path.join(baseDir, 'data'),
    socketDir: socketDirOf(baseDir),
    logFile: path.join(baseDir, 'postgres.log'),
    account,
  };
}

/** Where the server of a data folder is, without creating anything. @returns null before its creation */
export async function locatePostgres(
  dataDir: string,
): Promise<Pick<PostgresPaths, 'baseDir' | 'socketDir' | 'logFile'> | null> {
  const usual = path.join(dataDir, 'postgres');
  const moved = (await readIfThere(path.join(usual, POINTER_FILE)))?.trim();
  const baseDir = moved ?? usual;
  if (!(await exists(path.join(baseDir, 'data')))) {
    return null;
  }
  return { baseDir, socketDir: socketDirOf(baseDir), logFile: path.join(baseDir, 'postgres.log') };
}

async function findBaseDir(
  dataDir: string,
  account: ServerAccount | undefined,
  log: (line: string) => void,
): Promise<string> {
  const usual = path.join(dataDir, 'postgres');
  const pointerFile = path.join(usual, POINTER_FILE);
  const moved = (await readIfThere(pointerFile))?.trim();
  if (moved !== undefined) {
    if (!(await exists(moved))) {
      throw new Error(
        `The database of ${dataDir} was kept in ${moved}, which is gone: ` +
          `restore it, or remove ${pointerFile} to start with an empty database.`,
      );
    }
    log(`The database of ${dataDir} is kept in ${moved}.`);
    return moved;
  }
  if (account === undefined || (await canReach(account, dataDir))) {
    return usual;
  }
  if (await exists(path.join(usual, 'data'))) {
    throw new Error(
      `The database in ${usual} cannot be reached by the user "${account.name}", which runs it: ` +
        `give every folder above it the permission o+x.`,
    );
  }
  const elsewhere = path.join(SYSTEM_DIR, shortHash(dataDir));
  log(
    `The user "${account.name}", who has to run the database, cannot reach ${dataDir}; ` +
      `the database is kept in ${elsewhere}.`,
  );
  await makeFolder(SYSTEM_DIR, 0o755);
  await mkdir(elsewhere, { recursive: true });
  await mkdir(usual, { recursive: true });
  await writeFile(pointerFile, `${elsewhere}\n`);
  return elsewhere;
}

function socketDirOf(baseDir: string): string {
  const usual = path.join(baseDir, 'socket');
  const tooLong = Buffer.byteLength(path.join(usual, SOCKET_NAME)) > MAX_SOCKET_PATH_BYTES;
  return tooLong ? path.join(os.tmpdir(), `gatefold-${shortHash(baseDir)}`) : usual;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * Creates a folder that only the server's account can enter.
 *
 * @throws Error when something of another user exists there, as is possible in the temporary folder
 */
export async function makePrivateFolder(
  folder: string,
  account: ServerAccount | undefined,
): Promise<void> {
  const ownUid = process.getuid?.() ?? 0;
  await mkdir(folder, { mode: 0o700 }).catch(ignoring('EEXIST'));
  const found = await lstat(folder);
  const trusted = [ownUid, account?.uid ?? ownUid];
  if (!found.isDirectory() || !trusted.includes(found.uid)) {
    throw new Error(`${folder} must be a folder owned by Gatefold, but belongs to another user.`);
  }
  await chmod(folder, 0o700);
  if (account !== undefined && found.uid !== account.uid) {
    await chown(folder, account.uid, account.gid);
  }
}

async function makeFolder(folder: string, mode: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, mode);
}

async function unprivilegedAccount(): Promise<ServerAccount> {
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((candidate) => candidate.name === name);
    if (account !== undefined) {
      return account;
    }
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it ' +
      'instead: start Gatefold as another user, or set DATABASE_URL to a server of your own.',
  );
}

/** Whether the account may traverse every folder down to this one. */
async function canReach(account: ServerAccount, folder: string): Promise<boolean> {
  const { mode, uid, gid } = await stat(folder);
  const mayPass =
    uid === account.uid ? mode & 0o100 : gid === account.gid ? mode & 0o010 : mode & 0o001;
  const parent = path.dirname(folder);
  return mayPass !== 0 && (parent === folder || canReach(account, parent));
}

export async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(ignoring('ENOENT'));
}

function ignoring(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) {
      throw error;
    }
    return undefined;
  };
}
