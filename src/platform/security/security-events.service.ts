import { Injectable, type OnModuleInit } from '@nestjs/common';
import { currentActor } from '../../common/auth/request-actor.js';
import { CleanUpPace } from '../throttle/clean-up-pace.js';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { AccountDeletionHooks } from '../../common/ports/account-deletion-hooks.js';
import type { NewSecurityEvent, SecurityEventFilter } from './security-event.js';
import { SecurityEventsRepository, type SecurityEvent } from './security-events.repository.js';

const DAY_SECONDS = 86_400;
const KEEP_DAYS = 90;
const CLEAN_UP_SECONDS = 3600;
const CLEAN_UP_ADDITIONS = 1000;

/** Logins, failed logins and changes to accounts, for administrators to read for 90 days. */
@Injectable()
export class SecurityEventsService extends AdministrationLog implements OnModuleInit {
  readonly #cleanUpPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(
    private readonly events: SecurityEventsRepository,
    private readonly deletionHooks: AccountDeletionHooks,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
  }

  onModuleInit(): void {
    this.deletionHooks.onErase((userId) => this.events.removeAllOfUser(userId));
  }

  /** Adds the actor of the current request: user, address and kind of credential. */
  async record(event: NewSecurityEvent): Promise<void> {
    const now = this.clock.now();
    const actor = currentActor();
    if (actor !== undefined) {
      actor.isRecorded = true;
    }
    await this.events.add(
      {
        ...event,
        address: event.address ?? actor?.address,
        actorId: actor?.userId,
        credential: actor?.credential,
      },
      now,
    );
    if (this.#cleanUpPace.add(this.clock.nowSeconds())) {
      await this.events.removeFailuresBeyond(this.config.keepFailedLogins);
      await this.events.removeOlderThan(new Date(now.getTime() - KEEP_DAYS * DAY_SECONDS * 1000));
    }
  }

  override async note(details: string): Promise<void> {
    await this.record({ kind: 'administration', userId: currentActor()?.userId, details });
  }

  override async noteConsent(
    kind: 'app_allowed' | 'app_revoked',
    userId: string,
    appId: string,
  ): Promise<void> {
    await this.record({ kind, userId, details: appId });
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
}
