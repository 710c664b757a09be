import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PROCESS_SECONDS, within } from './until.js';

/** A process that holds the server of a data folder and writes to it continuously. */
export interface DatabaseProcess {
  readonly pid: number;
  /** Number of the last row that is known to be committed. */
  lastAcknowledged(): number;
  /** Resolves when this many more rows are committed. */
  acknowledges(rows: number): Promise<void>;
  /** Kills it. */
  kill(): Promise<void>;
  /** Stops it gracefully. */
  stop(): Promise<void>;
}

/** Starts one; it is writing when the promise resolves. */
export async function aDatabaseProcess(dataDir: string): Promise<DatabaseProcess> {
  const child = spawn(
    process.execPath,
    [
      '--no-warnings',
      '--import',
      fileBeside('run-typescript.mjs'),
      fileBeside('hold-and-insert.ts'),
      dataDir,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  const closed = once(child, 'close');
  const rows = createInterface({ input: child.stdout });
  let acknowledged = 0;
  rows.on('line', (line) => (acknowledged = Number(line)));

  const acknowledges = async (more: number): Promise<void> => {
    for (let row = 0; row < more; row++) {
      const rowOrEnd = Promise.race([once(rows, 'line'), closed.then(() => 'closed')]);
      const went = await within(`row ${acknowledged + 1}`, rowOrEnd, PROCESS_SECONDS);
      if (went === 'closed') {
        throw new Error(`The process has ended after row ${acknowledged}.\n${errors}`);
      }
    }
  };
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await within('the end of a process', closed, PROCESS_SECONDS);
  };
  await acknowledges(1);
  return {
    pid: child.pid ?? 0,
    lastAcknowledged: () => acknowledged,
    acknowledges,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

function fileBeside(name: string): string {
  return new URL(name, import.meta.url).pathname;
}
