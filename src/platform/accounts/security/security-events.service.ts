import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Counter } from 'prom-client';
import { currentActor } from '../../../common/auth/request-actor.js';
import { CleanUpPace } from '../../../common/clean-up-pace.js';
import { Clock } from '../../../common/clock.js';
import { Metrics } from '../../../common/metrics/metrics.js';
import type { AdministrationLog } from '../../../common/ports/administration-log.js';
import { AccountDeletionHooks } from '../../../common/ports/hooks.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { AccountsSettings } from '../accounts.settings.js';
import {
  SECURITY_EVENT_KINDS,
  type NewSecurityEvent,
  type SecurityEventFilter,
} from './security-event.js';
import { SecurityEventsRepository, type SecurityEvent } from './security-events.repository.js';

const EVERYTHING: SecurityEventFilter = {
  kinds: null,
  user: null,
  actor: null,
  subject: null,
  address: null,
  text: null,
  fromSeconds: null,
  toSeconds: null,
};

const CLEAN_UP_SECONDS = 3600;
const CLEAN_UP_ADDITIONS = 1000;

/**
 * The audit log: logins, failed logins, and changes to accounts, apps and settings, with their actors. Old
 * entries are removed. Entries of deleted accounts keep names, and are marked.
 */
@Injectable()
export class SecurityEventsService implements AdministrationLog, OnModuleInit {
  readonly #logger = new Logger('Audit');
  readonly #counter = new Counter({
    name: 'gatefold_audit_events_total',
    help: 'Entries of the audit log that this process wrote, by kind; failed logins, for instance.',
    labelNames: ['kind'],
    registers: [],
  });
  readonly #cleanUpPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(
    private readonly events: SecurityEventsRepository,
    private readonly deletionHooks: AccountDeletionHooks,
    private readonly clock: Clock,
    private readonly settings: AccountsSettings,
    { registry }: Metrics,
  ) {
    registry.registerMetric(this.#counter);
    SECURITY_EVENT_KINDS.forEach((kind) => this.#counter.inc({ kind }, 0));
  }

  onModuleInit(): void {
    this.deletionHooks.add((userId) => this.events.markDeleted(userId, this.clock.now()));
  }

  async record(event: NewSecurityEvent): Promise<void> {
    const now = this.clock.now();
    const actor = currentActor();
    if (actor !== undefined) {
      actor.isRecorded = true;
    }
    const complete = {
      ...event,
      address: event.address ?? actor?.address,
      actorId: actor?.userId,
      credential: actor?.credential,
    };
    await this.events.add(complete, now);
    if (event.kind === 'user_deleted' && event.userId !== undefined) {
      await this.events.markDeleted(event.userId, now);
    }
    this.#counter.inc({ kind: event.kind });
    if (this.settings.auditInLog) {
      this.#logger.log({ audit: complete }, event.kind);
    }
    if (this.#cleanUpPace.add(this.clock.nowSeconds())) {
      await this.events.removeFailuresBeyond(this.settings.keepFailedLogins);
      await this.#removeOld(now);
    }
  }

  async noteConsent(
    kind: 'app_allowed' | 'app_revoked',
    userId: string,
    appId: string,
  ): Promise<void> {
    await this.record({ kind, userId, subject: { kind: 'app', id: appId }, details: appId });
  }

  async notePublication(
    kind: 'list_published' | 'list_withdrawn',
    userId: string,
    details: string,
  ): Promise<void> {
    await this.record({ kind, userId, details });
  }

  /**
   * Newest first.
   *
   * @param beforeId cursor: only older events; null starts at the newest
   */
  async list(
    filter: SecurityEventFilter,
    limit: number,
    beforeId: number | null,
  ): Promise<SecurityEvent[]> {
    return this.events.list(filter, limit, beforeId);
  }

  /** Matches at the start, oldest first; the export itself is an event. */
  async export(filter: SecurityEventFilter): Promise<AsyncIterable<SecurityEvent>> {
    await this.record({ kind: 'events_exported', userId: currentActor()?.userId });
    return this.events.stream(filter);
  }

  /** What was recorded about an account, oldest first. */
  async *ofUser(userId: string): AsyncGenerator<SecurityEvent> {
    for await (const event of this.events.stream({ ...EVERYTHING, user: userId })) {
      // The filter finds longer names as well, and the accounts that had this one before.
      if (event.userId === userId && event.userDeletedSeconds === null) {
        yield event;
      }
    }
  }

  async #removeOld(now: Date): Promise<void> {
    const { keepAuditDays } = this.settings;
    if (keepAuditDays > 0) {
      const oldest = now.getTime() - keepAuditDays * DAY_SECONDS * 1000;
      await this.events.removeOlderThan(new Date(oldest));
    }
  }
}
