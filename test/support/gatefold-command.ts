import { jest } from '@jest/globals';
import type { TestApp } from './start-app.js';
import { Command } from 'commander';
import { registerAppApiCommands } from '../../src/app-api/apps/apps.commands.js';
import { registerDeadLetterCommands } from '../../src/app-api/queues/dead-letters.commands.js';

export interface Outcome {
  readonly printed: string;
  readonly complaints: string;
  readonly exitCode: number;
}

/**
 * Runs one gateway command beside the running service. It throws the errors that the program would
 * print.
 */
export async function runGatefold(
  { inside }: Pick<TestApp, 'inside'>,
  ...args: string[]
): Promise<Outcome> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  registerAppApiCommands(program, (work) => work(inside));
  registerDeadLetterCommands(program, (work) => work(inside));
  const printed: string[] = [];
  const complaints: string[] = [];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed.push(String(text));
      return true;
    }),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      complaints.push(String(text));
      return true;
    }),
  ];
  try {
    await program.parseAsync(args, { from: 'user' });
    return {
      printed: printed.join(''),
      complaints: complaints.join(''),
      exitCode: Number(process.exitCode ?? 0),
    };
  } finally {
    process.exitCode = 0;
    for (const spy of spies) {
      spy.mockRestore();
    }
  }
}
