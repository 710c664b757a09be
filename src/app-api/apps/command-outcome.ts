import { DaemonNotFound } from './daemons/daemons.errors.js';
import { ExAppAlreadyRegistered } from './lifecycle/lifecycle.errors.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { say } from '../../common/command-line/say.js';

/** Exit codes that scripts of operators check. */
export const FAILED = 1;
const DAEMON_MISSING = 2;
const ALREADY_REGISTERED = 3;

/** The output of a command; discarded with `--silent`. */
export interface Voice {
  say(text: string): void;
  complain(text: string): void;
}

export const ALOUD: Voice = { say, complain: (text) => void process.stderr.write(`${text}\n`) };
const MUTE: Voice = { say: () => {}, complain: () => {} };

export function voiceOf({ silent }: { readonly silent?: true }): Voice {
  return silent ? MUTE : ALOUD;
}

/** Prints errors and sets the exit code that scripts of operators expect. */
export async function withExitCodes(voice: Voice, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DomainError)) {
      throw error;
    }
    voice.complain(error.message);
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: DomainError): number {
  if (error instanceof ExAppAlreadyRegistered) {
    return ALREADY_REGISTERED;
  }
  if (error instanceof DaemonNotFound) {
    return DAEMON_MISSING;
  }
  return FAILED;
}
