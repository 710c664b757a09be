import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import type { JobKind } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { Regularly } from '../../../database/regularly.js';
import { ReaderIdsRepository } from '../delivery/reader-ids.repository.js';
import { ClockRules } from './clock-rules.service.js';
import { RuleEffectsRepository } from './rule-effects.repository.js';
import { RulesRepository } from './rules.repository.js';

interface ClockRun {
  readonly userId: string;
}

/** Keys are user ids. */
const CLOCK_RUNS: JobKind<ClockRun> = {
  name: 'news-clock-rules',
  deadlineSeconds: 6 * HOUR_SECONDS,
  retryDelaySeconds: 5,
  longestRetryDelaySeconds: 120,
  attemptSeconds: 300,
  parallel: 1,
  ordered: true,
};

/**
 * Rules with a clock run once an hour, for readers who have them. Each run is a job, so that one process does it,
 * and another one after a crash.
 */
@Injectable()
export class ClockRuns {
  constructor(
    private readonly rules: RulesRepository,
    private readonly effects: RuleEffectsRepository,
    private readonly jobs: JobQueue,
    private readonly config: Config,
    clock: ClockRules,
    ids: ReaderIdsRepository,
  ) {
    jobs.carryOut(CLOCK_RUNS, async ({ payload, signal }) =>
      clock.runFor(await ids.of(payload.userId), signal),
    );
  }

  /** Every process looks; a run is planned once an hour by whichever comes first. */
  @Regularly('news-clock-rules', 300)
  async plan(): Promise<void> {
    await this.rules.takeClockTurns(HOUR_SECONDS, (userIds, tx) =>
      this.jobs.send(
        CLOCK_RUNS,
        userIds.map((userId) => ({ key: userId, payload: { userId } })),
        tx,
      ),
    );
    this.jobs.wake(CLOCK_RUNS);
  }

  /** Forgets what rules did more than 30 days ago. */
  @Regularly('news-rule-effects', HOUR_SECONDS)
  async forgetOld(): Promise<void> {
    await this.effects.forgetOld(this.config.limits['rule-effects-kept-per-user']);
  }
}
