import { Injectable, type OnModuleInit } from '@nestjs/common';
import { currentActor } from '../../common/auth/request-actor.js';
import { CleanUpPace } from '../throttle/clean-up-pace.js';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { AccountDeletionHooks } from '../../common/ports/account-deletion-hooks.js';
import { SecurityEventsRepository } from './security-events.repository.js';

export const SECURITY_EVENT_KINDS = [
  'login',
  'login_failed',
  'login_throttled',
  'logout',
  'session_revoked',
  'password_changed',
  'app_password_created',
  'app_password_revoked',
  'user_created',
  'user_disabled',
  'user_enabled',
  'rights_granted',
  'rights_taken',
  'user_deleted',
  'administration',
] as const;
export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number];

export interface NewSecurityEvent {
  readonly kind: SecurityEventKind;
  /** Only of an account that exists: people type passwords into the field for the name, too. */
  readonly userId?: string | undefined;
  /** Client address, when a request was the cause. */
  readonly address?: string | undefined;
  /** A few words for a person; never a secret. */
  readonly details?: string | undefined;
}

/** Who did it; all undefined for what the service does by itself. */
export interface EventActor {
  readonly actorId?: string | undefined;
  /** Kind of credential: `password`, `session`, `app password 7`, `external app talk_bot`, `command line`. */
  readonly credential?: string | undefined;
}

export interface SecurityEvent {
  readonly id: number;
  readonly happenedSeconds: number;
  readonly kind: SecurityEventKind;
  readonly userId: string | null;
  readonly address: string | null;
  readonly details: string | null;
  readonly actorId: string | null;
  readonly credential: string | null;
}

/** Which events are wanted; null where it does not matter. */
export interface SecurityEventFilter {
  readonly kind: SecurityEventKind | null;
  /** How the user id begins, in any case. */
  readonly user: string | null;
  /** How the client address begins: all of it, or that of a network. */
  readonly address: string | null;
}

const DAY_SECONDS = 86_400;
const KEEP_DAYS = 90;
const CLEAN_UP_SECONDS = 3600;
const CLEAN_UP_ADDITIONS = 1000;

/** What happened to accounts and logins, for administrators to read for 90 days. */
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

  /** Also says who did it, from where, and with what kind of credential. */
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

  /**
   * Newest first.
   *
   * @param beforeId only older ones than this; null starts at the newest
   */
  async list(
    filter: SecurityEventFilter,
    limit: number,
    beforeId: number | null,
  ): Promise<SecurityEvent[]> {
    return this.events.list(filter, limit, beforeId);
  }
}
