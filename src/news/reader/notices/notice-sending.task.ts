import { Injectable, Logger } from '@nestjs/common';
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
import { EXCERPT_HTML_CHARACTERS } from './notice-message.js';
import { CHANNEL_KINDS } from './notice.entities.js';
import {
  NOTICE_JOBS,
  NoticesRepository,
  type DueNotice,
  type NoticedItem,
  type NoticeJob,
} from './notices.repository.js';
import { NoticesSettings } from './notices.settings.js';
import { hourOf, planNotices, type NoticePlan } from './plan-notices.js';
import { PUSH_SECONDS } from './push.service.js';

/** A job that has sent for so long leaves the rest to the next one. */
const LONGEST_MS = 30_000;

/** Delays before the attempts that follow the first (Standard Webhooks 1.0.0). */
const RETRY_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Sends what is due by a channel, and stores what became of it. */
@Injectable()
export class NoticeSending {
  readonly #logger = new Logger('Notices');
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
    private readonly settings: NoticesSettings,
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
    await this.notices.removeOlderThan(this.settings.keepNoticesDays);
  }

  async #tell({ payload: job, signal }: JobAttempt<NoticeJob>): Promise<void> {
    const begun = performance.now();
    const { readerId, channelId } = job;
    const found = await this.channels.find(readerId, channelId);
    const reader = await this.notices.readerOf(readerId);
    if (reader === null || found?.enabled !== true) {
      const reason = found === null ? 'The channel was removed.' : 'The channel is off.';
      await this.notices.dropAll(job, reason);
      return;
    }
    const channel = await this.sending.withUser(readerId, reader.userId, found);
    if (channel === null) {
      await this.notices.dropAll(job, 'The account is disabled.');
      return;
    }
    const due = await this.notices.due(job);
    const items = await this.notices.itemsOf(readerId, itemIdsOf(due), 0);
    const now = this.clock.now();
    const plan = planNotices(due, {
      now,
      items,
      settings: await this.notices.settingsOf(readerId),
      privateFeeds: channel.privateFeeds,
      isReading: reader.isReading,
      sentByRule: await this.notices.sentByRule(job, hourOf(now)),
    });
    await this.#recordPlan(channel, plan, items);
    for (const [place, { notices, gathered }] of plan.messages.entries()) {
      if (performance.now() - begun > LONGEST_MS) {
        await this.notices.send([job]);
        return;
      }
      const sent = await this.#send(channel, notices, gathered, signal);
      const isOff = await this.#record(channel, notices, sent, items);
      if (isOff) {
        await this.notices.dropAll(job, 'The channel is off.');
        return;
      }
      if (sent.result === 'later') {
        const rest = plan.messages.slice(place + 1).flatMap((message) => message.notices);
        await this.#postpone(channel, rest, sent, items);
        return;
      }
    }
  }

  async #send(
    channel: ChannelOf,
    notices: readonly DueNotice[],
    gathered: string | null,
    signal: AbortSignal,
  ): Promise<Sent> {
    const { readerId } = channel;
    const ids = itemIdsOf(notices);
    const characters = gathered === null ? EXCERPT_HTML_CHARACTERS : 0;
    // Read anew: what the recipient sees, and only of the recipient.
    const items = await this.notices.itemsOf(readerId, ids, characters);
    const message = this.sending.messageOf(channel, notices, gathered, items);
    const sent = await this.sending.send(channel, message, signal);
    this.#counter.inc({ kind: channel.kind, result: sent.result });
    return sent;
  }

  async #recordPlan(
    { readerId, name }: ChannelOf,
    { drops, deferrals }: NoticePlan,
    items: ReadonlyMap<number, NoticedItem>,
  ): Promise<void> {
    for (const [reason, some] of Map.groupBy(drops, (drop) => drop.reason)) {
      const outcome = { state: 'dropped' as const, reason, isAttempt: false };
      const notices = some.map(({ notice }) => notice);
      await this.notices.record(readerId, notices, outcome, items, name);
    }
    for (const [gathered, some] of Map.groupBy(deferrals, (deferral) => deferral.gathered)) {
      const dueAt = some[0]?.until ?? this.clock.now();
      const outcome = {
        state: 'waiting' as const,
        reason: null,
        isAttempt: false,
        dueAt,
        gathered,
      };
      const notices = some.map(({ notice }) => notice);
      await this.notices.record(readerId, notices, outcome, items, name);
    }
  }

  /** @returns whether the channel is off from now on */
  async #record(
    channel: ChannelOf,
    notices: readonly DueNotice[],
    sent: Sent,
    items: ReadonlyMap<number, NoticedItem>,
  ): Promise<boolean> {
    const { id, readerId, name, kind } = channel;
    const now = this.clock.now();
    const record = (state: 'sent' | 'failed' | 'waiting', reason: string | null, dueAt?: Date) =>
      this.notices.record(
        readerId,
        notices,
        { state, reason, isAttempt: true, ...(dueAt && { dueAt }) },
        items,
        name,
      );
    if (sent.result === 'sent') {
      await record('sent', null);
      if (channel.failingSinceSeconds !== null) {
        await this.channels.noteSuccess(readerId, id);
      }
      return false;
    }
    const { error } = sent;
    const [first] = notices;
    const dueAt = sent.result === 'later' && first ? nextAttempt(first, kind, sent, now) : null;
    await (dueAt === null ? record('failed', error) : record('waiting', error, dueAt));
    this.#logger.debug(`channel ${id} of ${channel.userId}: ${error}`);
    return this.failures.note(channel, sent);
  }

  /** The other messages wait with the one that could not be sent. */
  async #postpone(
    { readerId, name, kind }: ChannelOf,
    rest: readonly DueNotice[],
    sent: Sent & { result: 'later' },
    items: ReadonlyMap<number, NoticedItem>,
  ): Promise<void> {
    const now = this.clock.now();
    const [first] = rest;
    const dueAt = first && nextAttempt({ ...first, attempts: 0 }, kind, sent, now);
    if (dueAt) {
      const outcome = { state: 'waiting' as const, reason: null, dueAt, isAttempt: false };
      await this.notices.record(readerId, rest, outcome, items, name);
    }
  }
}

/** @returns null if it is given up */
function nextAttempt(
  { attempts, createdSeconds }: DueNotice,
  kind: string,
  { afterSeconds }: Sent & { result: 'later' },
  now: Date,
): Date | null {
  const delay = RETRY_SECONDS[attempts];
  if (delay === undefined) {
    return null;
  }
  const next = now.getTime() + (afterSeconds ?? delay) * 1000;
  const isTooLate = kind === 'push' && next > (createdSeconds + PUSH_SECONDS) * 1000;
  return isTooLate ? null : new Date(next);
}

function itemIdsOf(notices: readonly DueNotice[]): number[] {
  return notices.map(({ itemId }) => itemId);
}
