import { setTimeout as pause } from 'node:timers/promises';

export interface CheckFinding {
  /** `off`: the subject is not configured. */
  readonly state: 'ok' | 'warning' | 'error' | 'off';
  /** One sentence; never a secret. */
  readonly text: string;
  /** Advice for the operator. */
  readonly advice?: string;
}

export interface CheckedSubject {
  readonly subject: string;
  readonly findings: readonly CheckFinding[];
}

type Check = () => Promise<readonly CheckFinding[]>;

const LONGEST_CHECK_MS = 20_000;

/** How Node.js, its libraries and the service itself say that nobody trusts a certificate. */
const UNTRUSTED =
  /unable to (?:get|verify)|UNABLE_TO_(?:GET|VERIFY)|self-signed|SELF_SIGNED|not from a trusted authority/;
/** What Node.js advises then. */
const HINT_OF_NODE = /; if the root CA is installed locally, .*$/;

/** Rooms contribute the checks of `gatefold doctor`: database, clock, disk, mail and so on. */
export class InstallationChecks {
  readonly #checks: { readonly subject: string; readonly check: Check }[] = [];

  /** @param subject heading in the report, for instance "Database" */
  add(subject: string, check: Check): void {
    this.#checks.push({ subject, check });
  }

  /** Runs all checks in order. One that throws counts as an error; one without findings is omitted. */
  async run(): Promise<CheckedSubject[]> {
    const subjects: CheckedSubject[] = [];
    for (const { subject, check } of this.#checks) {
      const findings = await findingsOf(check);
      const advised = findings.map(withAuthorities);
      subjects.push(...(advised.length > 0 ? [{ subject, findings: advised }] : []));
    }
    return subjects;
  }
}

/** Names the setting that makes the certificate of a server trusted. */
function withAuthorities(finding: CheckFinding): CheckFinding {
  const { state, text, advice = '' } = finding;
  return state === 'error' && UNTRUSTED.test(text)
    ? {
        state,
        text: text.replace(HINT_OF_NODE, ''),
        advice: `If its authority is a private one, name its certificate in GATEFOLD_CA_FILE. ${advice}`,
      }
    : finding;
}

/**
 * Examines a server of others.
 *
 * @param ask throws the reason why it cannot be used
 * @param settings that name it
 */
export async function askParty(
  place: string,
  ask: () => Promise<unknown>,
  settings: string,
): Promise<CheckFinding[]> {
  try {
    await ask();
    return [{ state: 'ok', text: `${place} answers.` }];
  } catch (error) {
    const text = `${place} cannot be used: ${(error as Error).message}`;
    const advice = `Check ${settings}, the network, and the log of that server.`;
    return [{ state: 'error', text, advice }];
  }
}

async function findingsOf(check: Check): Promise<readonly CheckFinding[]> {
  const abort = new AbortController();
  const tooLong = pause(LONGEST_CHECK_MS, undefined, { signal: abort.signal }).then(() => {
    throw new Error(`it did not end within ${LONGEST_CHECK_MS / 1000} s.`);
  });
  tooLong.catch(() => {});
  try {
    return await Promise.race([check(), tooLong]);
  } catch (error) {
    const text = `The check failed: ${error instanceof Error ? error.message : String(error)}`;
    return [{ state: 'error', text }];
  } finally {
    abort.abort();
  }
}
