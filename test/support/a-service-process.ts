import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { temporaryFolder } from './temporary-folder.js';
import { SECRET_KEY } from './test-database.js';
import { PROCESS_SECONDS, within } from './until.js';

/** The whole service in a separate process, which can be killed. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  isRunning(): boolean;
  /** Its log so far. */
  log(): string;
  /** Sends it a signal. */
  signal(name: NodeJS.Signals): void;
  /** Its exit code, when it ends by itself. */
  ended(): Promise<number | null>;
  /** Kills it. */
  kill(): Promise<void>;
  /**
   * Stops it gracefully.
   *
   * @returns its exit code
   */
  stop(): Promise<number | null>;
}

/**
 * Starts one on a database that others may use too; it listens when the promise resolves.
 *
 * @param preload modules to load first, beside this file
 */
export async function aServiceProcess(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
  preload: readonly string[] = [],
): Promise<ServiceProcess> {
  const dataDir = await temporaryFolder('data');
  const imports = ['run-typescript.mjs', ...preload].flatMap((name) => [
    '--import',
    fileBeside(name),
  ]);
  const child = spawn(
    process.execPath,
    ['--no-warnings', ...imports, fileBeside('../../src/main.ts'), 'serve'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: fileBeside('../../node_modules/.cache/node'),
        DATABASE_URL: databaseUrl,
        GATEFOLD_DATA_DIR: dataDir,
        GATEFOLD_SECRET_KEY: SECRET_KEY,
        GATEFOLD_PORT: '0',
        GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
        GATEFOLD_RATE_LIMITS: 'off',
        GATEFOLD_DATABASE_CONNECTIONS: '8',
        ...settings,
      },
    },
  );
  let running = true;
  let log = '';
  const closed = once(child, 'close').then(async ([code]) => {
    running = false;
    await rm(dataDir, { recursive: true, force: true });
    return code as number | null;
  });
  const listening = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log += `${line}\n`;
      const address = /Gatefold listens at ([^\s"]+)/.exec(line)?.[1];
      if (address !== undefined) {
        listening.resolve(address);
      }
    });
  }
  const listensOrEnds = Promise.race([
    listening.promise,
    closed.then(() => {
      throw new Error(`The service did not start:\n${log}`);
    }),
  ]);
  const url = await within('the service to listen', listensOrEnds, PROCESS_SECONDS).catch(
    async (error: unknown) => {
      child.kill('SIGKILL');
      await closed;
      throw error;
    },
  );
  const ended = () => within('the end of the service', closed, PROCESS_SECONDS);
  const end = (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    return ended();
  };
  return {
    url,
    pid: child.pid ?? 0,
    isRunning: () => running,
    log: () => log,
    signal: (name) => void child.kill(name),
    ended,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

function fileBeside(name: string): string {
  return new URL(name, import.meta.url).pathname;
}
