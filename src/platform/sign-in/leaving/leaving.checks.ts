import { Injectable } from '@nestjs/common';
import {
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';
import { LeavingRepository } from './leaving.repository.js';

const MOST_NAMED = 10;

/** Tells operators which owners want their accounts deleted. */
@Injectable()
export class LeavingChecks {
  constructor(
    checks: InstallationChecks,
    private readonly leaving: LeavingRepository,
  ) {
    checks.add('Accounts', () => this.#examine());
  }

  async #examine(): Promise<CheckFinding[]> {
    const leavers = await this.leaving.list();
    const dated = leavers.flatMap(({ userId, leavesSeconds: seconds }) =>
      seconds === null ? [] : `${userId} on ${new Date(seconds * 1000).toISOString().slice(0, 10)}`,
    );
    const asking = leavers.filter(({ leavesSeconds }) => leavesSeconds === null);
    const findings: CheckFinding[] = [];
    if (dated.length > 0) {
      findings.push({ state: 'ok', text: `To be deleted as their owners wish: ${named(dated)}.` });
    }
    if (asking.length > 0) {
      findings.push({
        state: 'warning',
        text: `Their owners ask for the deletion of accounts: ${named(asking.map(({ userId }) => userId))}.`,
        advice: 'Decide in the list of users, or by user:delete and user:keep.',
      });
    }
    return findings;
  }
}

function named(all: readonly string[]): string {
  const more = all.length - MOST_NAMED;
  return `${all.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
