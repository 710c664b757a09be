import { jest } from '@jest/globals';
import type { Command } from 'commander';

/** Runs a command in this process. @returns what it writes to the standard output */
export async function printedBy(program: Command, args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } finally {
    write.mockRestore();
  }
  return printed.join('');
}
