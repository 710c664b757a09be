import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandRefused } from '../../common/command-line/command-refused.js';

/** Whether a person sits at the other end. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY);
}

/**
 * Asks for something that must not be seen over a shoulder: what is typed is not shown.
 *
 * @throws CommandRefused when the person gives up with Ctrl-C or Ctrl-D; so does `askYes`
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

/** @returns true for "y" and "yes" alone */
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
    throw new CommandRefused('Given up; nothing was changed.', { cause: error });
  } finally {
    lines.close();
  }
}
