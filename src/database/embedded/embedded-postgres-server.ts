import { spawn } from 'node:child_process';
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { memoryBytes } from '../../common/memory-limit.js';
import {
  asServerAccount,
  causeIn,
  EMBEDDED_USER,
  exitOf,
  ensureCluster,
} from './embedded-postgres-cluster.js';
import { makePrivateFolder, SOCKET_NAME, type PostgresPaths } from './embedded-postgres-files.js';
import { layOutRuntime, removeLeftovers } from './embedded-postgres-runtime.js';

/** Settings as in `postgresql.conf`. */
export type ServerSettings = Readonly<Record<string, string>>;

/** Part of the socket's name; no TCP port is opened. */
const PORT = 5432;

/** Settings for small machines. fsync stays on. */
const SETTINGS: ServerSettings = {
  listen_addresses: '',
  port: String(PORT),
  max_connections: '100',
  shared_buffers: `${bufferMb(memoryBytes())}MB`,
  // Compilation takes longer than our queries.
  jit: 'off',
  // Processes and buffers that a small server does not need: reading ahead, replication, much unwritten log.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  wal_buffers: '1MB',
  // Avoids a log line every few minutes.
  log_checkpoints: 'off',
};

/** A sixteenth of the memory, at most PostgreSQL's own 128: it is filled by what is read, and never given back. */
export function bufferMb(memory: number): number {
  return Math.min(128, Math.max(16, Math.floor(memory / 16 / 1024 ** 2)));
}

const POLL_MILLISECONDS = 20;
const RETRY_MILLISECONDS = 150;
/** Replaying the log of a killed server can take minutes on a slow disk. */
const START_SECONDS = 300;
const STOP_SECONDS = 60;
/** Less than a process has for its last acts. */
const AGAIN_SECONDS = 3;
const STALE_SERVER_SECONDS = 30;
const MAX_LOG_BYTES = 1_000_000;

/** Logged by a server that finds the lock or shared memory of a killed one. */
const STALE_SERVER_FOUND = /lock file ".*" already exists|pre-existing shared memory/;

/** Starting up, recovering or shutting down. */
const CANNOT_CONNECT_NOW = '57P03';

/**
 * Connects to the server; creates and starts it first if necessary. Call from one process at a time.
 *
 * @param signal aborts, and stops a server that this call has started
 * @throws Error with the last lines of the server's log when it does not start
 */
export async function connectOrStart(
  paths: PostgresPaths,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<Client> {
  // Needed even before connecting: in the temporary folder another user could run a server.
  await makePrivateFolder(paths.socketDir, paths.account);
  const began = Date.now();
  let server: StartedServer | undefined;
  try {
    while (Date.now() - began < START_SECONDS * 1000) {
      signal.throwIfAborted();
      const answer = await connect(paths);
      if (answer instanceof Client) {
        return answer;
      }
      if (server?.end !== undefined) {
        const log = await logSince(paths.logFile, server.logStartsAt);
        if (!STALE_SERVER_FOUND.test(log) || Date.now() - began > STALE_SERVER_SECONDS * 1000) {
          const lines = log.split('\n').slice(-10).join('\n');
          const end = server.end + causeIn(log);
          throw new Error(`The embedded database ${end}. Its log ends with:\n${lines}`);
        }
        server = undefined;
        if ((await notedServer(paths)).isAnother) {
          // PostgreSQL finds remains of a server by their shared memory as well.
          await rm(path.join(paths.socketDir, `${SOCKET_NAME}.lock`), { force: true });
          await rm(pidFileOf(paths), { force: true });
        }
        await pause(RETRY_MILLISECONDS);
      }
      if (answer === 'absent' && server === undefined) {
        server = await start(paths, settings, signal);
      }
      await pause(POLL_MILLISECONDS);
    }
    throw new Error(
      `The embedded database was not ready within ${START_SECONDS} s; see ${paths.logFile}.`,
    );
  } catch (error) {
    // No other process can have connected yet.
    await server?.stop();
    throw error;
  }
}

/** @returns undefined when no server runs, or it stays unable to talk */
export async function connectAgain(paths: PostgresPaths): Promise<Client | undefined> {
  const deadline = Date.now() + AGAIN_SECONDS * 1000;
  let answer: Client | 'absent' | 'busy';
  do {
    await pause(POLL_MILLISECONDS);
    answer = await connect(paths).catch(() => 'busy' as const);
  } while (answer === 'busy' && Date.now() < deadline);
  return answer instanceof Client ? answer : undefined;
}

/** Creates the database unless it exists. */
export async function ensureDatabase(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount === 0) {
    await client.query(`create database ${client.escapeIdentifier(name)}`);
  }
}

/**
 * Disconnects all clients and waits for the server to exit.
 *
 * @returns false after a minute; the server then exits by itself
 */
export async function stopServer(paths: PostgresPaths): Promise<boolean> {
  const { pid, runs } = await notedServer(paths);
  if (!runs) {
    return true;
  }
  process.kill(pid, 'SIGINT');
  const began = Date.now();
  while ((await notedServer(paths)).runs) {
    if (Date.now() - began > STOP_SECONDS * 1000) {
      return false;
    }
    await pause(POLL_MILLISECONDS);
  }
  await rm(paths.socketDir, { recursive: true, force: true });
  return true;
}

/** Whether a server runs there, ready or not. */
export async function answers(socketDir: string): Promise<boolean> {
  const answer = await connect({ socketDir });
  if (answer instanceof Client) {
    await answer.end();
  }
  return answer !== 'absent';
}

/** @returns "busy" while a server starts up or shuts down */
async function connect(
  paths: Pick<PostgresPaths, 'socketDir'>,
): Promise<Client | 'absent' | 'busy'> {
  const client = new Client({
    host: paths.socketDir,
    port: PORT,
    user: EMBEDDED_USER,
    database: 'postgres',
    ssl: false,
    application_name: 'gatefold holder',
  });
  // An unhandled 'error' event would end the process; callers listen for 'end'.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') {
      return 'absent';
    }
    if (code === CANNOT_CONNECT_NOW || code === 'ECONNRESET' || code === 'EPIPE') {
      return 'busy';
    }
    throw error;
  }
}

interface StartedServer {
  /** Undefined while it is running. */
  end: string | undefined;
  readonly logStartsAt: number;
  stop(): Promise<void>;
}

async function start(
  paths: PostgresPaths,
  extraSettings: ServerSettings,
  signal: AbortSignal,
): Promise<StartedServer> {
  const runtime = await layOutRuntime(paths);
  await ensureCluster(paths, runtime, signal);
  const log = await openLog(paths.logFile);
  const logStartsAt = (await log.stat()).size;
  const settings = {
    ...SETTINGS,
    ...extraSettings,
    unix_socket_directories: `"${paths.socketDir.replaceAll('"', '""')}"`,
  };
  const server = spawn(
    runtime.postgres,
    [
      '-D',
      paths.clusterDir,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {
      ...asServerAccount(paths),
      stdio: ['ignore', log.fd, log.fd],
      // A separate session: Ctrl-C signals the service only, which stops the server last.
      detached: true,
    },
  );
  const ended = exitOf(server);
  const started: StartedServer = {
    end: undefined,
    logStartsAt,
    stop: async () => {
      server.ref();
      server.kill('SIGINT');
      await ended;
    },
  };
  void ended.then((end) => (started.end = end));
  server.unref();
  await log.close();
  await removeLeftovers(paths, runtime);
  return started;
}

async function openLog(logFile: string): Promise<Awaited<ReturnType<typeof open>>> {
  const log = await open(logFile, 'a', 0o600);
  if ((await log.stat()).size < MAX_LOG_BYTES) {
    return log;
  }
  await log.close();
  await rename(logFile, `${logFile}.1`);
  return open(logFile, 'a', 0o600);
}

async function logSince(logFile: string, startsAt: number): Promise<string> {
  return (await readFile(logFile)).subarray(startsAt).toString().trimEnd();
}

/**
 * The server that has last written its pid. Another process may have got this pid of a killed one, which is
 * frequent in containers, so the command line is compared; that of a process that is ending is empty.
 */
async function notedServer(paths: PostgresPaths) {
  const pid = Number((await readFile(pidFileOf(paths), 'utf8').catch(() => '')).split('\n')[0]);
  const command = pid > 0 ? await commandOf(pid) : '';
  // Other programs may name files in the folder.
  const runs = command.replaceAll('\0', ' ').includes(`postgres -D ${paths.clusterDir} `);
  return { pid, runs, isAnother: command !== '' && !runs };
}

async function commandOf(pid: number): Promise<string> {
  return process.platform === 'linux'
    ? readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    : outputOf('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
}

function pidFileOf({ clusterDir }: PostgresPaths): string {
  return path.join(clusterDir, 'postmaster.pid');
}

async function outputOf(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  await exitOf(child);
  return output;
}
