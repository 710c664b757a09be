import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandRefused } from '../../../common/command-line/command-refused.js';

/** Whether stdin and stdout are a terminal. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY);
}

/**
 * Prompts for a secret without echo.
 *
 * @throws CommandRefused on Ctrl-C or Ctrl-D; so does `askYes`
 */
export async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stdout.write(question);
  try {
    const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
    return await firstLine(lines, '');
  } finally {
    process.stdout.write('\n');
  }
}

/** @returns true only for "y" and "yes" */
export async function askYes(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return /^y(es)?$/i.test((await firstLine(lines, `${question} [y/N] `)).trim());
}

async function firstLine(lines: Interface, question: string): Promise<string> {
  const givenUp = new AbortController();
  lines.once('SIGINT', () => givenUp.abort());
  lines.once('close', () => givenUp.abort());
  try {
    return await lines.question(question, { signal: givenUp.signal });
  } catch (error) {
    throw new CommandRefused('Cancelled; nothing was changed.', { cause: error });
  } finally {
    lines.close();
  }
}
