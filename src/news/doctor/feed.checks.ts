import { Injectable } from '@nestjs/common';
import { InstallationChecks, type CheckFinding } from '../../common/ports/installation-checks.js';
import { SourceListsRepository } from '../statistics/source-lists.repository.js';

const LATE_SECONDS = 15 * 60;
const TOO_LATE_SECONDS = 2 * 3600;

/** Below this number, a few failing feeds are normal. */
const MANY_FEEDS = 10;
const MANY_FAILING = 0.3;

/** Examines the fetching of feeds, for `gatefold doctor`. */
@Injectable()
export class FeedChecks {
  constructor(
    checks: InstallationChecks,
    private readonly sources: SourceListsRepository,
  ) {
    checks.add('Feeds', () => this.#examine());
  }

  async #examine(): Promise<CheckFinding[]> {
    const [{ all, failing, failingBy, overdue, untried }, oldestSeconds] = await Promise.all([
      this.sources.totals(''),
      this.sources.oldestDueSeconds(),
    ]);
    return [lateness(overdue, oldestSeconds), failures(all, failing, untried, failingBy)];
  }
}

function lateness(overdue: number, oldestSeconds: number): CheckFinding {
  if (oldestSeconds < LATE_SECONDS) {
    return { state: 'ok', text: `${overdue} ${overdue === 1 ? 'feed is' : 'feeds are'} due.` };
  }
  return {
    state: oldestSeconds < TOO_LATE_SECONDS ? 'warning' : 'error',
    text: `${overdue} ${overdue === 1 ? 'feed is' : 'feeds are'} due, the oldest for ${Math.round(oldestSeconds / 60)} minutes.`,
    advice:
      'Is the service running, with GATEFOLD_SCHEDULER=on or an external updater, and with room on the disk? Otherwise raise GATEFOLD_FETCHES.',
  };
}

function failures(
  all: number,
  failing: number,
  untried: number,
  setting: string | null,
): CheckFinding {
  const text =
    untried === 0
      ? `${failing} of ${all} feeds fail.`
      : `${failing} of ${all} feeds fail, ${untried} have not been fetched yet.`;
  return all >= MANY_FEEDS && failing > all * MANY_FAILING
    ? {
        state: 'warning',
        text,
        advice:
          `Check ${setting || 'the network and the name server of this machine'}` +
          '; "gatefold feed:doctor" explains one feed.',
      }
    : { state: 'ok', text };
}
