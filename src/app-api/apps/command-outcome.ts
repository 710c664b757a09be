import { CommandMisused } from '../../common/command-line/command-refused.js';
import { fileRefused } from '../../common/command-line/file-refused.js';
import { say } from '../../common/command-line/say.js';
import { terminal } from '../../common/command-line/terminal.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { DaemonNotFound } from './daemons/daemon.js';
import { ExAppAlreadyRegistered } from './lifecycle/lifecycle.errors.js';

/** Exit codes that scripts of operators check. */
export const FAILED = 1;
const EXIT_CODES = [
  [CommandMisused, 2],
  [DaemonNotFound, 2],
  [ExAppAlreadyRegistered, 3],
] as const;

/** The output of a command; discarded with `--silent`. */
export interface Voice {
  say(text: string): void;
  complain(text: string): void;
}

export const ALOUD: Voice = { say, complain: (text) => void terminal().stderr.write(`${text}\n`) };
const MUTE: Voice = { say: () => {}, complain: () => {} };

export function voiceOf({ silent }: { readonly silent?: true }): Voice {
  return silent ? MUTE : ALOUD;
}

/** Prints errors and sets the exit code that scripts of operators expect. */
export async function withExitCodes(voice: Voice, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const refusal = fileRefused(error);
    if (!(refusal instanceof DomainError)) {
      throw refusal;
    }
    voice.complain(refusal.message);
    terminal().exitCode = EXIT_CODES.find(([kind]) => refusal instanceof kind)?.[1] ?? FAILED;
  }
}
