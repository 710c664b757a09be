import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Clock } from '../../../common/clock.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import type { JobAttempt } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { Regularly } from '../../../database/regularly.js';
import { ChannelFailures } from './channel-failures.service.js';
import { ChannelSending, type ChannelOf } from './channel-sending.service.js';
import { ChannelsRepository } from './channels.repository.js';
import type { Sent } from './notice-channel.js';
import { BY_HAND, CHANNEL_KINDS, type ChannelKind } from './notice.entities.js';
import {
  NOTICE_JOBS,
  NoticesRepository,
  type DueNotice,
  type NoticedItem,
  type NoticeJob,
  type Outbox,
} from './notices.repository.js';
import { hourOf, planNotices, reasonToDrop } from './plan-notices.js';
import { PUSH_SECONDS } from './push.service.js';
import { savingFormOf } from './saving-forms.js';

type Items = ReadonlyMap<number, NoticedItem>;

/** A job that has sent for so long leaves the rest to the next one. */
export const LONGEST_MS = 30_000;

/** So many are read with their texts at once, of which the first is sent without being read again. */
const FEW = 10;

/** Delays before the attempts that follow the first (Standard Webhooks 1.0.0). */
export const RETRY_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Sends what is due by a channel, and stores what became of it. */
@Injectable()
export class NoticeSending {
  readonly #counter = new Counter({
    name: 'gatefold_notices_total',
    help: 'Attempts to send a notice, by kind of channel and result.',
    labelNames: ['kind', 'result'],
    registers: [],
  });

  constructor(
    jobs: JobQueue,
    private readonly notices: NoticesRepository,
    private readonly channels: ChannelsRepository,
    private readonly sending: ChannelSending,
    private readonly failures: ChannelFailures,
    private readonly clock: Clock,
    { registry }: Metrics,
  ) {
    registry.registerMetric(this.#counter);
    for (const kind of CHANNEL_KINDS) {
      ['sent', 'later', 'refused'].forEach((result) => this.#counter.inc({ kind, result }, 0));
    }
    jobs.carryOut(NOTICE_JOBS, (job) => this.#tell(job));
  }

  @Regularly('notices-due', 5)
  async sendDue(): Promise<void> {
    await this.notices.sendDue();
  }

  @Regularly('old-notices', HOUR_SECONDS)
  async removeOld(): Promise<void> {
    await this.notices.removeOld();
  }

  async #tell({ payload: job, signal }: JobAttempt<NoticeJob>): Promise<void> {
    const begun = performance.now();
    const { readerId } = job;
    const now = this.clock.now();
    const outbox = await this.notices.outbox(job, hourOf(now));
    const { reader, settings, due } = outbox;
    const channel =
      reader !== null && outbox.channel?.enabled === true
        ? await this.sending.withUser(readerId, reader.userId, outbox.channel)
        : null;
    if (channel === null || reader === null) {
      return this.notices.drop('channel_id', readerId, job.channelId, 'The channel is off.');
    }
    const { privateFeeds } = channel;
    const isReading = reader.isReading && settings.notWhileReading;
    const reasonOf = (notice: DueNotice, items: Items) =>
      reasonToDrop(notice, items.get(notice.itemId), {
        privateFeeds,
        isReading,
        sendsOn: sendsOn(channel, notice),
      });
    const hasTexts = due.length <= FEW;
    const items = await this.notices.itemsOf(readerId, due, hasTexts);
    const { messages } = await this.#plan(channel, outbox, items, reasonOf, now);

    for (const [place, { notices, gathered }] of messages.entries()) {
      if (performance.now() - begun > LONGEST_MS) {
        return this.notices.send([job]);
      }
      // Read anew: much time may have passed. What is not sent now is dropped by a later job.
      const fresh =
        place === 0 && gathered === null && hasTexts
          ? items
          : await this.notices.itemsOf(readerId, notices, gathered === null);
      const left = notices.filter((one) => reasonOf(one, fresh) === null);
      if (left.length === 0) {
        continue;
      }
      const sent = await this.sending.sendNotices(channel, left, gathered, fresh, signal);
      this.#counter.inc({ kind: channel.kind, result: sent.result });
      const rest = messages.slice(place + 1).flatMap((message) => message.notices);
      if (await this.#record(channel, left, rest, sent, fresh)) {
        // The next one finds the channel as it is now.
        return this.notices.send([job]);
      }
      if (sent.result === 'later') {
        return;
      }
    }
  }

  /** Drops and defers what is not sent now. */
  async #plan(
    channel: ChannelOf,
    { due, settings, sentByRule }: Outbox,
    items: Items,
    reasonOf: (notice: DueNotice, items: Items) => string | null,
    now: Date,
  ) {
    const byReason = Map.groupBy(due, (notice) => reasonOf(notice, items));
    for (const [reason, some] of byReason) {
      if (reason !== null) {
        await this.notices.record(channel, some, items, { state: 'dropped', reason });
      }
    }
    const plan = planNotices(byReason.get(null) ?? [], settings, sentByRule, now, (notice) =>
      sendsOn(channel, notice),
    );
    for (const [gathered, { until: dueAt, notices }] of plan.deferred) {
      await this.notices.record(channel, notices, items, { state: 'waiting', dueAt, gathered });
    }
    return plan;
  }

  /**
   * @param rest further messages, which wait with one that could not be sent
   * @returns whether the channel is off, gone or another one from now on
   */
  async #record(
    channel: ChannelOf,
    notices: readonly DueNotice[],
    rest: readonly DueNotice[],
    sent: Sent,
    items: Items,
  ): Promise<boolean> {
    const { id, readerId } = channel;
    const isAttempt = true;
    if (sent.result === 'sent') {
      await this.notices.record(channel, notices, items, { state: 'sent', isAttempt });
      if (channel.failingSinceSeconds !== null) {
        await this.channels.noteSuccess(readerId, id);
      }
      return false;
    }
    const { error: reason } = sent;
    const dueAt = sent.result === 'later' ? this.#nextAttempt(notices, channel.kind, sent) : null;
    await (dueAt === null
      ? this.notices.record(channel, notices, items, { state: 'failed', reason, isAttempt })
      : this.notices.record(channel, notices, items, {
          state: 'waiting',
          reason,
          dueAt,
          isAttempt,
        }));
    if (dueAt !== null && rest.length > 0) {
      await this.notices.record(channel, rest, items, { state: 'waiting', dueAt });
    }
    return this.failures.note(channel, sent);
  }

  /** @returns null if it is given up */
  #nextAttempt(
    [first]: readonly DueNotice[],
    kind: ChannelKind,
    { afterSeconds }: Sent & { result: 'later' },
  ): Date | null {
    const delay = RETRY_SECONDS[first?.attempts ?? 0];
    const next = this.clock.nowSeconds() + (afterSeconds ?? delay ?? 0);
    const end = kind === 'push' ? (first?.createdSeconds ?? 0) + PUSH_SECONDS : Infinity;
    return delay === undefined || next > end ? null : new Date(next * 1000);
  }
}

/** Whether a notice carries the article on instead of telling of it. */
const sendsOn = ({ form }: ChannelOf, { ruleId }: DueNotice): boolean =>
  ruleId === BY_HAND || savingFormOf(form) !== null;
