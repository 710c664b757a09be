import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { SECRET_KEY } from './test-database.js';
import { PROCESS_SECONDS, within } from './until.js';

export interface CommandRun {
  readonly code: number | null;
  readonly output: Buffer;
  readonly complaints: string;
}

/**
 * Runs a command of the command line in a process of its own.
 *
 * @param settings environment variables; `GATEFOLD_SECRET_KEY` is that of the tests by default
 * @param input its stdin
 * @param seconds that it may take at most
 */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  input?: Buffer,
  seconds = PROCESS_SECONDS,
): Promise<CommandRun> {
  const child = spawn(
    process.execPath,
    [
      '--no-warnings',
      '--import',
      fileBeside('run-typescript.mjs'),
      fileBeside('../../src/main.ts'),
      ...args,
    ],
    {
      stdio: 'pipe',
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: fileBeside('../../node_modules/.cache/node'),
        GATEFOLD_SECRET_KEY: SECRET_KEY,
        GATEFOLD_DATABASE_CONNECTIONS: '4',
        ...settings,
      },
    },
  );
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const run = Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  try {
    const what = `the end of the command ${args.join(' ')}`;
    const [output, complaints, [code]] = await within(what, run, seconds);
    return { code, output, complaints };
  } finally {
    child.kill('SIGKILL');
  }
}

function fileBeside(name: string): string {
  return new URL(name, import.meta.url).pathname;
}
