import { jest } from '@jest/globals';
import { Command } from 'commander';
import { AppApiModule } from '../../src/app-api/app-api.module.js';
import { TaskProcessingModule } from '../../src/app-api/task-processing/task-processing.module.js';
import type { OtherApps } from '../../src/common/command-line/with-app.js';
import { declaredBy } from '../../src/common/subjects/subject.js';
import { loadConfig } from '../../src/settings.js';
import type { TestApp } from './start-app.js';

export interface Outcome {
  readonly printed: string;
  readonly complaints: string;
  readonly exitCode: number;
}

const refuse = () => Promise.reject(new Error('No command of the gateway needs this.'));
const OTHERS: OtherApps = {
  withAnyKey: refuse,
  asItIs: refuse,
  restored: refuse,
  settings: () => loadConfig({}),
  otherwise: () => {},
};

/**
 * Runs one gateway command beside the running service. It throws the errors that the program would
 * print.
 */
export async function runGatefold(
  { inside }: Pick<TestApp, 'inside'>,
  ...args: string[]
): Promise<Outcome> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  for (const register of declaredBy([AppApiModule, TaskProcessingModule]).commands) {
    register(program, (work) => work(inside), OTHERS);
  }
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
