import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { freePort } from '../support/free-port.js';
import { PROCESS_SECONDS, until, within } from '../support/until.js';

export const CITUS_USER = 'gatefold';

/** A server of PostgreSQL with the Citus extension loaded. */
export interface CitusNode {
  readonly port: number;
  /** Address of the database `postgres`. */
  readonly url: string;
  /** Ends it at once, as a power failure does. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops all its processes where they are, as a hanging disk does, or lets them go on. */
  freeze(isFrozen: boolean): void;
  stop(): Promise<void>;
}

/** One coordinator and its workers on loopback addresses; databases join by `joinDatabase`. */
export interface CitusCluster {
  readonly coordinator: CitusNode;
  readonly workers: readonly CitusNode[];
  stop(): Promise<void>;
}

/** Test databases do not outlive the run. */
const SETTINGS = [
  'shared_preload_libraries=citus',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  // Citus asks for twice the connections.
  'max_prepared_transactions=400',
  'shared_buffers=32MB',
  'wal_level=logical',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'jit=off',
  'citus.shard_count=8',
  'citus.enable_statistics_collection=off',
  'citus.enable_stat_counters=on',
];

/** A lock in the database `postgres` of the coordinator. */
const JOINING = 7_264;

const LOCALE = ['--encoding=UTF8', '--locale=C.UTF-8'];

/**
 * @param programs folder of `postgres` and `initdb`
 * @param folder for the data of all nodes; removed by the caller
 * @param settings of PostgreSQL, `name=value`, besides those of all test clusters
 */
export async function startCitusCluster(
  programs: string,
  folder: string,
  workers = 2,
  settings: readonly string[] = [],
): Promise<CitusCluster> {
  const account = serverAccount();
  const first = path.join(folder, 'coordinator');
  mkdirSync(folder, { recursive: true });
  mkdirSync(first, { mode: 0o700 });
  chownSync(first, account.uid, account.gid);
  const asServer = { ...account, cwd: '/', env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } };
  execFileSync(
    path.join(programs, 'initdb'),
    ['-D', first, '-U', CITUS_USER, '--auth=trust', '--no-sync', ...LOCALE],
    { ...asServer, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const dataFolders = [first];
  for (let number = 1; number <= workers; number++) {
    const copy = path.join(folder, `worker-${number}`);
    // Citus does not need nodes to have system identifiers of their own.
    execFileSync('cp', ['-a', first, copy]);
    dataFolders.push(copy);
  }
  const nodes: CitusNode[] = [];
  for (const dataFolder of dataFolders) {
    const program = path.join(programs, 'postgres');
    nodes.push(aNode(program, dataFolder, await freePort(), [...SETTINGS, ...settings], asServer));
  }
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  const [coordinator, ...others] = nodes;
  if (coordinator === undefined) {
    throw new Error('A cluster needs a coordinator.');
  }
  return { coordinator, workers: others, stop };
}

/**
 * Makes a database of the coordinator one of the cluster: creates it on the workers, the extension on
 * all nodes, and registers the workers.
 */
export async function joinDatabase(
  name: string,
  coordinatorUrl: string,
  workerUrls: readonly string[],
): Promise<void> {
  const { hostname, port } = new URL(coordinatorUrl);
  await query(
    withDatabase(coordinatorUrl, name),
    'create extension citus',
    `select citus_set_coordinator_host('${hostname}', ${port})`,
  );
  await joinWorkers(name, coordinatorUrl, workerUrls);
}

/** Adds workers to a database of a cluster, as an operator who buys servers. */
export async function joinWorkers(
  name: string,
  coordinatorUrl: string,
  workerUrls: readonly string[],
): Promise<void> {
  await Promise.all(
    workerUrls.map(async (url) => {
      await query(url, `create database "${name}"`);
      await query(withDatabase(url, name), 'create extension citus');
    }),
  );
  const nodes = workerUrls.map((url) => new URL(url));
  await oneAtATime(coordinatorUrl, () =>
    query(
      withDatabase(coordinatorUrl, name),
      ...nodes.map((node) => `select citus_add_node('${node.hostname}', ${node.port})`),
    ),
  );
}

/**
 * Adding a worker alters the role there, which all databases of the worker share. Of two databases that
 * do so at the same time one fails, with "tuple concurrently updated" as a warning.
 */
async function oneAtATime(coordinatorUrl: string, work: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: withDatabase(coordinatorUrl, 'postgres') });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(${JOINING})`);
    await work();
  } finally {
    await client.end();
  }
}

/** The opposite; a worker that is away keeps its copy. */
export async function dropWorkerDatabases(
  name: string,
  workerUrls: readonly string[],
): Promise<void> {
  await Promise.allSettled(
    workerUrls.map((url) => query(url, `drop database if exists "${name}" with (force)`)),
  );
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** @throws Error with the warnings, in which Citus tells the cause */
async function query(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  const warnings: string[] = [];
  client.on('notice', ({ message, detail = '' }) => warnings.push(`${message} ${detail}`));
  await client.connect();
  try {
    for (const statement of statements) {
      await client.query(statement);
    }
  } catch (error) {
    const { message } = error as Error;
    throw new Error([message, ...warnings].join('\n'), { cause: error });
  } finally {
    await client.end();
  }
}

function aNode(
  program: string,
  dataFolder: string,
  port: number,
  settings: readonly string[],
  asServer: { readonly cwd: string; readonly env: Record<string, string> },
): CitusNode {
  let server: ChildProcess | undefined;
  const url = `postgresql://${CITUS_USER}@127.0.0.1:${port}/postgres`;
  const end = async (signal: 'SIGQUIT' | 'SIGINT') => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) {
      return;
    }
    const closed = once(server, 'close');
    server.kill(signal);
    await within('the end of a server', closed, PROCESS_SECONDS);
  };
  return {
    port,
    url,
    async start() {
      let output = '';
      const options = [...settings, `port=${port}`].flatMap((setting) => ['-c', setting]);
      const child = spawn(program, ['-D', dataFolder, ...options], {
        ...asServer,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child.stderr.on('data', (text: Buffer) => (output = (output + text.toString()).slice(-4000)));
      server = child;
      const answers = async () => {
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(`PostgreSQL in ${dataFolder} does not start:\n${output}`);
        }
        return isReady(url);
      };
      await until('PostgreSQL to answer', answers, PROCESS_SECONDS);
    },
    freeze(isFrozen) {
      const pid = String(server?.pid);
      const children = execFileSync('pgrep', ['-P', pid], { encoding: 'utf8' }).trim().split('\n');
      for (const one of [pid, ...children]) {
        try {
          process.kill(Number(one), isFrozen ? 'SIGSTOP' : 'SIGCONT');
        } catch {
          // It has ended in the meantime.
        }
      }
    },
    kill: () => end('SIGQUIT'),
    stop: () => end('SIGINT'),
  };
}

async function isReady(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** PostgreSQL refuses to run as root. */
function serverAccount(): { readonly uid: number; readonly gid: number } {
  const isRoot = process.getuid?.() === 0;
  const id = (option: string) =>
    Number(execFileSync('id', isRoot ? [option, 'nobody'] : [option], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
