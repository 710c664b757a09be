import { AsyncLocalStorage } from 'node:async_hooks';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandRefused } from './command-refused.js';

export type TerminalOutput = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
};

/**
 * Where a command was typed. Commands use it in place of `process`, since the service runs those of several
 * callers at a time.
 */
export interface Terminal {
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  /** Whether stdin and stdout are a terminal; people can be asked only then. */
  readonly isInteractive: boolean;
  /** Aborted when the caller of a service has gone, such as by Ctrl-C; long commands end then. */
  readonly signal: AbortSignal;
  exitCode: number;
  /** Value of an environment variable. */
  variable(name: string): Promise<string | undefined>;
  /**
   * @param isSecret whether the answer is not shown while it is typed
   * @throws CommandRefused on Ctrl-C or Ctrl-D
   */
  ask(question: string, isSecret?: true): Promise<string>;
}

export class Cancelled extends CommandRefused {
  constructor(options?: ErrorOptions) {
    super('Cancelled; nothing was changed.', options);
  }
}

const OWN: Terminal = {
  // Signals end this process.
  signal: new AbortController().signal,
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  get isInteractive() {
    return Boolean(process.stdin.isTTY && process.stdout.isTTY);
  },
  get exitCode() {
    return Number(process.exitCode ?? 0);
  },
  set exitCode(code: number) {
    process.exitCode = code;
  },
  variable: async (name) => process.env[name],
  ask: (question, isSecret) => (isSecret ? askSecret(question) : askLine(question)),
};

const terminals = new AsyncLocalStorage<Terminal>();

/** That of the running command: this process, or a caller of the service. */
export function terminal(): Terminal {
  return terminals.getStore() ?? OWN;
}

/** Runs `work` with another terminal than that of this process. */
export function atTerminal<Result>(other: Terminal, work: () => Result): Result {
  return terminals.run(other, work);
}

async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stdout.write(question);
  try {
    const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
    return await firstLine(lines, '');
  } finally {
    process.stdout.write('\n');
  }
}

function askLine(question: string): Promise<string> {
  return firstLine(createInterface({ input: process.stdin, output: process.stdout }), question);
}

async function firstLine(lines: Interface, question: string): Promise<string> {
  const givenUp = new AbortController();
  lines.once('SIGINT', () => givenUp.abort());
  lines.once('close', () => givenUp.abort());
  try {
    return await lines.question(question, { signal: givenUp.signal });
  } catch (error) {
    throw new Cancelled({ cause: error });
  } finally {
    lines.close();
  }
}
