import { spawn } from 'node:child_process';
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import {
  asServerAccount,
  EMBEDDED_USER,
  endOf,
  ensureCluster,
} from './embedded-postgres-cluster.js';
import { makePrivateFolder, type PostgresPlace } from './embedded-postgres-files.js';
import { layOutRuntime, removeOlderRuntimes } from './embedded-postgres-runtime.js';

/** Settings of `postgresql.conf`, by name. */
export type ServerSettings = Readonly<Record<string, string>>;

/** Part of the name of the socket; nothing listens on the network. */
const PORT = 5432;

/** For a small machine that has other things to do. Committed means on disk: fsync stays on. */
const SETTINGS: ServerSettings = {
  listen_addresses: '',
  port: String(PORT),
  max_connections: '100',
  shared_buffers: '128MB',
  // Compiling a query takes longer than any query of a feed reader.
  jit: 'off',
  // Otherwise a line every few minutes, for ever.
  log_checkpoints: 'off',
};

const POLL_MILLISECONDS = 20;
const RETRY_MILLISECONDS = 150;
/** Replaying the log of a killed server can take minutes on a slow disk. */
const START_SECONDS = 300;
const STOP_SECONDS = 60;
const REMAINS_SECONDS = 30;
const MAX_LOG_BYTES = 1_000_000;

/** Said by a server that finds a killed one which the system has not cleared away yet. */
const REMAINS_FOUND = /lock file "postmaster\.pid" already exists|pre-existing shared memory/;

/** Starting up, recovering or shutting down. */
const CANNOT_CONNECT_NOW = '57P03';

/**
 * Connects to the server, which is created or started first where necessary. To be called by one
 * process at a time.
 *
 * @param signal gives up, and leaves no server behind that this call has started
 * @throws Error with the last lines of the server's log when it does not start
 */
export async function connectOrStart(
  place: PostgresPlace,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<Client> {
  // Also before joining: in the folder for temporary files, anybody could put a server of theirs.
  await makePrivateFolder(place.socketDir, place.account);
  const began = Date.now();
  let server: StartedServer | undefined;
  while (Date.now() - began < START_SECONDS * 1000) {
    if (signal.aborted) {
      // Nobody else can have joined it yet.
      await server?.stop();
      signal.throwIfAborted();
    }
    const answer = await connect(place);
    if (answer instanceof Client) {
      return answer;
    }
    if (server?.end !== undefined) {
      const lines = await lastLines(place.logFile, server.logStartsAt);
      if (!REMAINS_FOUND.test(lines) || Date.now() - began > REMAINS_SECONDS * 1000) {
        throw new Error(`The embedded database ${server.end}. Its log ends with:\n${lines}`);
      }
      server = undefined;
      await pause(RETRY_MILLISECONDS);
    }
    if (answer === 'absent' && server === undefined) {
      server = await start(place, settings);
    }
    await pause(POLL_MILLISECONDS);
  }
  throw new Error(
    `The embedded database was not ready within ${START_SECONDS} s; see ${place.logFile}.`,
  );
}

/** Creates the database of the name when it is missing. */
export async function ensureDatabase(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount === 0) {
    await client.query(`create database ${client.escapeIdentifier(name)}`);
  }
}

/**
 * Disconnects whoever is still connected, and waits until the server has gone.
 *
 * @returns false when that takes longer than a minute; the server then finishes by itself
 */
export async function stopServer(place: PostgresPlace): Promise<boolean> {
  const pidFile = path.join(place.clusterDir, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  if (!(await isServerOf(place, pid))) {
    return true;
  }
  process.kill(pid, 'SIGINT');
  const began = Date.now();
  while (await isServerOf(place, pid)) {
    if (Date.now() - began > STOP_SECONDS * 1000) {
      return false;
    }
    await pause(POLL_MILLISECONDS);
  }
  await rm(place.socketDir, { recursive: true });
  return true;
}

/** "busy" is a server on its way up or down: there is one, and soon it will answer or be gone. */
async function connect(place: PostgresPlace): Promise<Client | 'absent' | 'busy'> {
  const client = new Client({
    host: place.socketDir,
    port: PORT,
    user: EMBEDDED_USER,
    database: 'postgres',
    ssl: false,
    application_name: 'gatefold holder',
  });
  // A connection may break at any moment; whoever needs to know listens for its end.
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
  /** How it ended, once it has. */
  end: string | undefined;
  readonly logStartsAt: number;
  stop(): Promise<void>;
}

async function start(place: PostgresPlace, extraSettings: ServerSettings): Promise<StartedServer> {
  const runtime = await layOutRuntime(place);
  await ensureCluster(place, runtime);
  const log = await openLog(place.logFile);
  const logStartsAt = (await log.stat()).size;
  const settings = { ...SETTINGS, ...extraSettings, unix_socket_directories: place.socketDir };
  const server = spawn(
    runtime.postgres,
    [
      '-D',
      place.clusterDir,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    {
      ...asServerAccount(place),
      stdio: ['ignore', log.fd, log.fd],
      // A session of its own: Ctrl-C reaches the service alone, which stops the server last.
      detached: true,
    },
  );
  const ended = endOf(server);
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
  await removeOlderRuntimes(place, runtime);
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

async function lastLines(logFile: string, startsAt: number): Promise<string> {
  const bytes = await readFile(logFile);
  return bytes.subarray(startsAt).toString().trimEnd().split('\n').slice(-10).join('\n');
}

/** Numbers of processes are used again, so only its command line tells that it is the server. */
async function isServerOf(place: PostgresPlace, pid: number): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 1) {
    return false;
  }
  const commandLine =
    process.platform === 'linux'
      ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      : await outputOf('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return commandLine.includes(place.clusterDir);
}

async function outputOf(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  await endOf(child);
  return output;
}
