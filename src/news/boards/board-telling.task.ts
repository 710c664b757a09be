import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { DAY_SECONDS, HOUR_SECONDS } from '../../common/units.js';
import type { JobAttempt, JobKind } from '../../database/jobs/job-kind.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { Regularly } from '../../database/regularly.js';
import type { Sent } from '../reader/notices/notice-channel.js';
import { MOST_ITEMS } from '../reader/notices/notice-message.js';
import { LONGEST_MS, RETRY_SECONDS } from '../reader/notices/notice-sending.task.js';
import { LOST_MS } from '../reader/notices/notices.repository.js';
import { NoticesSettings } from '../reader/notices/notices.settings.js';
import { hourOf } from '../reader/notices/plan-notices.js';
import { SealedWebhooks } from '../reader/notices/sealed-webhooks.service.js';
import { boardMessage } from './board-message.js';
import {
  BoardWebhooksRepository,
  UNTIL_THE_HOUR_ENDS,
  type WaitingWebhook,
} from './board-webhooks.repository.js';
import { BoardsRepository } from './boards.repository.js';

/** Tells one webhook what it was not told; jobs of a webhook run one after the other. */
interface WebhookJob {
  readonly webhookId: number;
}

const WEBHOOK_JOBS: JobKind<WebhookJob> = {
  name: 'board-webhooks',
  deadlineSeconds: 24 * 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 300,
  attemptSeconds: 60,
  parallel: 4,
  ordered: true,
};

/** What is added beyond is told together, when the hour is over. */
const MOST_PER_HOUR = 10;

/** Tells webhooks what is added to their boards: in its order, each entry once, none that was removed before. */
@Injectable()
export class BoardTelling {
  constructor(
    private readonly jobs: JobQueue,
    private readonly rows: BoardWebhooksRepository,
    private readonly boards: BoardsRepository,
    private readonly webhooks: SealedWebhooks,
    private readonly settings: NoticesSettings,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
  ) {
    jobs.carryOut(WEBHOOK_JOBS, (job) => this.#tell(job));
  }

  /** Sends jobs for what has become due, and for jobs that were lost, in all processes together. */
  @Regularly('board-webhooks', 5)
  async sendDue(): Promise<void> {
    const now = this.clock.now();
    await this.#send(await this.rows.takeDue(now, new Date(now.getTime() + LOST_MS)));
  }

  async #send(ids: readonly number[]): Promise<void> {
    const sent = ids.map((webhookId) => ({ key: String(webhookId), payload: { webhookId } }));
    await this.jobs.send(WEBHOOK_JOBS, sent);
  }

  async #tell({ payload: { webhookId }, signal }: JobAttempt<WebhookJob>): Promise<void> {
    const begun = performance.now();
    while (await this.#tellNext(webhookId, signal)) {
      if (performance.now() - begun > LONGEST_MS) {
        return this.#send([webhookId]);
      }
    }
  }

  /** @returns whether there may be more to tell now */
  async #tellNext(id: number, signal: AbortSignal): Promise<boolean> {
    const now = this.clock.now();
    const hour = hourOf(now);
    const webhook = await this.rows.waiting(id, now, hour);
    if (webhook === null || !webhook.isDue) {
      return false;
    }
    const { boardId, gatherTo, toldEntryId, sentInHour } = webhook;
    if (gatherTo === UNTIL_THE_HOUR_ENDS) {
      await this.rows.gatherNow(id);
      return true;
    }
    const upTo = gatherTo ?? Number.MAX_SAFE_INTEGER;
    const most = gatherTo === null ? 1 : MOST_ITEMS;
    const entries = await this.boards.between(boardId, toldEntryId, upTo, most);
    const last = gatherTo ?? entries[0]?.id;
    if (last === undefined) {
      return false;
    }
    if (gatherTo === null && sentInHour >= MOST_PER_HOUR) {
      await this.rows.gatherUntil(id, new Date(hour.getTime() + HOUR_SECONDS * 1000));
      return false;
    }
    if (entries.length > 0) {
      const count =
        gatherTo === null ? 1 : await this.boards.countBetween(boardId, toldEntryId, upTo);
      const message = boardMessage(webhook, entries, count, this.address.root);
      const sent = await this.webhooks.send(webhook, message, signal);
      if (sent.result !== 'sent') {
        return this.#noteFailure(webhook, last, sent, now);
      }
    }
    await this.rows.noteTold(id, last, gatherTo === null ? hour : null);
    return true;
  }

  /** @returns whether there may be more to tell now */
  async #noteFailure(
    { id, attempts, failingSinceSeconds }: WaitingWebhook,
    last: number,
    sent: Exclude<Sent, { result: 'sent' }>,
    now: Date,
  ): Promise<boolean> {
    const { error } = sent;
    const nowSeconds = now.getTime() / 1000;
    const delay = sent.result === 'later' ? RETRY_SECONDS[attempts] : undefined;
    const waitSeconds = (sent.result === 'later' ? sent.afterSeconds : null) ?? delay ?? 0;
    const isOff =
      (sent.result === 'refused' && sent.channel !== 'stays') ||
      nowSeconds - (failingSinceSeconds ?? nowSeconds) >=
        this.settings.noticeFailureDays * DAY_SECONDS;
    await this.rows.noteFailure(id, {
      error,
      now,
      dueAt: new Date(now.getTime() + (delay === undefined ? 0 : waitSeconds * 1000)),
      upTo: delay === undefined ? last : null,
      offReason: isOff ? error : null,
    });
    return delay === undefined && !isOff;
  }
}
