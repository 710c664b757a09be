import { createInterface } from 'node:readline/promises';
import { CommandRefused } from '../../../common/command-line/command-refused.js';
import type { Get } from '../../../common/command-line/with-app.js';
import type { Voice } from '../command-outcome.js';
import { AppTrustService, TRUST_SENTENCE } from './app-trust.service.js';

/** The terminal of a command. Scripts have none and are never asked. */
export const TERMINAL = {
  isInteractive: (): boolean => process.stdin.isTTY && process.stdout.isTTY,
  ask: async (question: string): Promise<string> => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await terminal.question(question);
    } finally {
      terminal.close();
    }
  },
};

/**
 * Prints the rights of an app, and asks once for the installation, if there is a terminal.
 *
 * @throws CommandRefused if the answer is no
 */
export async function askForTrust(
  get: Get,
  voice: Voice,
  { yes, silent }: { readonly yes?: true; readonly silent?: true },
): Promise<void> {
  voice.say(TRUST_SENTENCE);
  const trust = get(AppTrustService);
  if (yes) {
    await trust.confirm(null);
    return;
  }
  if (silent || !TERMINAL.isInteractive() || (await trust.answer()) !== null) {
    return;
  }
  const answer = await TERMINAL.ask('Do you trust the apps that you register? [y/N] ');
  if (!/^\s*y(es)?\s*$/i.test(answer)) {
    throw new CommandRefused('Nothing was registered.');
  }
  await trust.confirm(null);
}
