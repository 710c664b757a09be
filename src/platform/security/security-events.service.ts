import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CleanUpPace } from '../../common/clean-up-pace.js';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { PersonalData } from '../../common/ports/personal-data.js';
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

export interface SecurityEvent {
  readonly id: number;
  readonly happenedSeconds: number;
  readonly kind: SecurityEventKind;
  readonly userId: string | null;
  readonly address: string | null;
  readonly details: string | null;
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

/** What happened to accounts and log-ins, for administrators to read for 90 days. */
@Injectable()
export class SecurityEventsService implements OnModuleInit {
  readonly #cleanUpPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(
    private readonly events: SecurityEventsRepository,
    private readonly personalData: PersonalData,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.personalData.onErase((userId) => this.events.removeAllOfUser(userId));
  }

  async record(event: NewSecurityEvent): Promise<void> {
    const now = this.clock.now();
    await this.events.add(event, now);
    if (this.#cleanUpPace.add(this.clock.nowSeconds())) {
      await this.events.removeFailuresBeyond(this.config.keepFailedLogins);
      await this.events.removeOlderThan(new Date(now.getTime() - KEEP_DAYS * DAY_SECONDS * 1000));
    }
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
