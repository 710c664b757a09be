import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { Recipients } from '../../common/ports/recipients.js';
import { languageFrom } from '../../common/texts/languages.js';
import { Database } from '../../database/database.js';
import type { JobAttempt, JobKind } from '../../database/jobs/job-kind.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { Regularly } from '../../database/regularly.js';
import { nextTime } from '../reader/notices/local-time.js';
import { messageId, MOST_ITEMS } from '../reader/notices/notice-message.js';
import { BoardDigestsRepository } from './board-digests.repository.js';
import { BoardDigestsService } from './board-digests.service.js';
import { digestMail } from './board-message.js';
import { BoardsRepository } from './boards.repository.js';

/** A digest for one member: the entries after one and up to another. */
interface DigestJob {
  readonly boardId: number;
  readonly userId: string;
  readonly after: number;
  readonly upTo: number;
}

const DIGEST_JOBS: JobKind<DigestJob> = {
  name: 'board-digests',
  deadlineSeconds: 24 * 3600,
  retryDelaySeconds: 5,
  longestRetryDelaySeconds: 3600,
  attemptSeconds: 120,
  parallel: 2,
};

/** A statement is written in one turn of the event loop. */
const JOBS_PER_STATEMENT = 1000;

/** Sends members what was added to a board within a day, by mail, at an hour of the group's. */
@Injectable()
export class BoardDigests {
  constructor(
    private readonly jobs: JobQueue,
    private readonly database: Database,
    private readonly rows: BoardDigestsRepository,
    private readonly boards: BoardsRepository,
    private readonly digests: BoardDigestsService,
    private readonly recipients: Recipients,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
  ) {
    jobs.carryOut(DIGEST_JOBS, (job) => this.#send(job));
  }

  /** Without a mail server they stay due. */
  @Regularly('board-digests', 20)
  async sendDue(): Promise<void> {
    const now = this.clock.now();
    while (this.recipients.mailSender !== null && (await this.#begin(now))) {
      this.jobs.wake(DIGEST_JOBS);
    }
  }

  /** Stores a job for each member, and when the next digest is due: all or nothing. @returns whether one was due */
  async #begin(now: Date): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const digest = await this.rows.take(now, tx);
      if (digest === null) {
        return false;
      }
      const { boardId, at, timeZone, toldEntryId: after, newestEntryId: upTo } = digest;
      const users = upTo > after ? await this.rows.recipients(boardId, null, tx) : [];
      await this.rows.noteTold(boardId, upTo, nextTime(now, at, timeZone), tx);
      const jobs = users.map(({ userId }) => ({
        key: `${boardId}/${userId}`,
        payload: { boardId, userId, after, upTo },
      }));
      for (let from = 0; from < jobs.length; from += JOBS_PER_STATEMENT) {
        await this.jobs.send(DIGEST_JOBS, jobs.slice(from, from + JOBS_PER_STATEMENT), tx);
      }
      return true;
    });
  }

  /** All is looked at anew: who is no member any more gets nothing, nobody what was removed. */
  async #send({ payload, signal }: JobAttempt<DigestJob>): Promise<void> {
    const { boardId, userId, after, upTo } = payload;
    const [recipient] = await this.rows.recipients(boardId, userId);
    const entries = await this.boards.between(boardId, after, upTo, MOST_ITEMS);
    if (recipient === undefined || entries.length === 0) {
      return;
    }
    const count = await this.boards.countBetween(boardId, after, upTo);
    const language = languageFrom(await this.recipients.languageOf(userId));
    const settingsUrl = this.address.of('settings/user/notices');
    const place = { ...recipient, boardId, language };
    const sent = await this.recipients.mail(
      {
        ...digestMail(entries, count, place, this.address.root, settingsUrl),
        userId,
        id: messageId('board-digest', boardId, userId, upTo),
        unsubscribeUrl: this.digests.refusalUrl(boardId, userId),
      },
      signal,
    );
    if (sent.result === 'later') {
      throw new Error(sent.error);
    }
  }
}
