import { PassThrough, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { run } from '../../src/cli/run.js';
import { SECRET_KEY } from './test-database.js';
import { PROCESS_SECONDS, within } from './until.js';

export interface CommandRun {
  readonly code: number;
  readonly output: Buffer;
  readonly complaints: string;
}

/** Commands share the environment and the streams of the process, so one runs after the other. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the command line as its program does, with an application of its own beside that of
 * the spec.
 *
 * @param settings environment variables; `GATEFOLD_SECRET_KEY` is that of the tests by default
 * @param input its stdin
 * @param seconds that it may take at most
 */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  input: Buffer = Buffer.alloc(0),
  seconds = PROCESS_SECONDS,
): Promise<CommandRun> {
  const ended = last.then(() =>
    within(`the end of the command ${args.join(' ')}`, runAlone(args, settings, input), seconds),
  );
  last = ended.catch(() => {});
  return ended;
}

async function runAlone(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  input: Buffer,
): Promise<CommandRun> {
  const streams = {
    stdin: Readable.from([input]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const read = Promise.all([buffer(streams.stdout), text(streams.stderr)]);
  const putBack = [replaceSettings(settings), ...Object.entries(streams).map(replaceStream)];
  try {
    await run(args);
    streams.stdout.end();
    streams.stderr.end();
    const [output, complaints] = await read;
    return { code: Number(process.exitCode ?? 0), output, complaints };
  } finally {
    process.exitCode = 0;
    putBack.forEach((restore) => restore());
  }
}

/** @returns what puts back the former ones */
function replaceSettings(settings: Readonly<Record<string, string>>): () => void {
  const isSetting = ([name]: [string, unknown]) => /^(GATEFOLD|DATABASE)_/.test(name);
  const former = Object.entries(process.env).filter(isSetting);
  const set = (values: Readonly<Record<string, string | undefined>>) => {
    for (const [name] of Object.entries(process.env).filter(isSetting)) {
      delete process.env[name];
    }
    Object.assign(process.env, values);
  };
  set({
    GATEFOLD_SECRET_KEY: SECRET_KEY,
    GATEFOLD_DATABASE_CONNECTIONS: '4',
    ...settings,
  });
  return () => set(Object.fromEntries(former));
}

function replaceStream([name, stream]: [string, object]): () => void {
  const former = Object.getOwnPropertyDescriptor(process, name) ?? {};
  Object.defineProperty(process, name, { configurable: true, get: () => stream });
  return () => Object.defineProperty(process, name, former);
}
