import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import { CleanUpPace } from '../../../common/clean-up-pace.js';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { AccessChanges } from '../../../common/ports/access-changes.js';
import type { Sessions, Session, SessionRequest } from '../../../common/ports/sessions.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { hashOf } from '../../../common/secrets/token-hash.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { toAccount } from '../../accounts/users/users.repository.js';
import { BrowserSessionEnds } from '../../accounts/users/users.service.js';
import { SessionNotFound } from '../../platform.errors.js';
import { SecondFactorRule } from '../passwords/login.service.js';
import { mayHavePassword } from '../sign-in.settings.js';
import { sessionTokenOf } from './session-cookie.service.js';
import {
  GrantsOffer,
  SessionsRepository,
  type ListedSession,
  type NewSession,
  type SessionAccountRow,
} from './sessions.repository.js';

export interface BegunSession {
  readonly id: number;
  /** The cookie's value; only its hash is stored. */
  readonly token: string;
  readonly livesSeconds: number;
}

type SessionBeginning = Pick<NewSession, 'userId' | 'provider' | 'userAgent' | 'address'>;

/** Exceeds the length before cookies had a prefix by one, see `sessionTokenOf`. */
const TOKEN_BYTES = 33;
const LIVES_SECONDS = 30 * DAY_SECONDS;
const LIVES_UNUSED_SECONDS = 7 * DAY_SECONDS;
const REMEMBER_SEEN_EVERY_SECONDS = 60;
const CLEAN_UP_SECONDS = 600;
const CLEAN_UP_ADDITIONS = 1000;

/**
 * Sessions of browsers. Each request reads the session's row with its account, so revoking a
 * session or disabling its account takes effect at once on every replica.
 */
@Injectable()
export class SessionsService implements Sessions {
  readonly #cleanUpPace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly accessChanges: AccessChanges,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly rule: SecondFactorRule,
    private readonly grants: GrantsOffer,
    ends: BrowserSessionEnds,
  ) {
    ends.fill(sessions);
  }

  async identify(request: SessionRequest): Promise<Session | null> {
    const token = sessionTokenOf(request, this.config);
    const found = token === null ? null : await this.sessions.find(hashOf(token), ...this.#times());
    if (token === null || found === null || this.#isIncomplete(found)) {
      return null;
    }
    if (this.clock.nowSeconds() - found.lastSeenSeconds >= REMEMBER_SEEN_EVERY_SECONDS) {
      await this.sessions.changeLastSeen(found.sessionId, this.clock.now(), request.ip ?? '');
    }
    return {
      id: found.sessionId,
      account: toAccount(found),
      requestToken: requestTokenOf(token),
      // A proxy authenticates each request.
      provenSeconds: found.provider === 'header' ? Infinity : found.provenSeconds,
      endsSeconds: found.endsSeconds,
      unusedSeconds: LIVES_UNUSED_SECONDS,
      leavesSeconds: found.leavesSeconds,
    };
  }

  async accountOf(sessionId: number, userId: string): Promise<Account | null> {
    const found = await this.sessions.findById(sessionId, userId, ...this.#times());
    return found === null || this.#isIncomplete(found) ? null : toAccount(found);
  }

  async begin({ userId, provider, userAgent, address }: SessionBeginning): Promise<BegunSession> {
    if (this.#cleanUpPace.add(this.clock.nowSeconds())) {
      await this.sessions.removeExpired(...this.#times());
    }
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const createdAt = this.clock.now();
    const session = {
      userId,
      tokenHash: hashOf(token),
      provider,
      userAgent,
      address,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + LIVES_SECONDS * 1000),
    };
    const id = await this.sessions.add(session, this.config.limits['sessions-per-user']);
    return { id, token, livesSeconds: LIVES_SECONDS };
  }

  /** The user of the session has proved who they are. */
  async noteProof(id: number): Promise<void> {
    await this.sessions.changeProven(id, this.clock.now());
  }

  /** Sessions that have not expired, most recently seen first. */
  async list(userId: string): Promise<ListedSession[]> {
    return this.sessions.list(userId, ...this.#times());
  }

  /** Also withdraws grants that no program has fetched: this session may have given them. @throws SessionNotFound */
  async revoke(userId: string, id: number, clientAddress?: string): Promise<void> {
    SessionNotFound.unless(await this.sessions.remove(userId, id), id);
    await this.grants.required.withdrawGrants(userId);
    await this.accessChanges.announce(userId);
    await this.events.record({ kind: 'session_revoked', userId, address: clientAddress });
  }

  /**
   * Ends a session on behalf of another actor; no-op if it has ended.
   *
   * @param details who ended it, shown to administrators
   */
  async endElsewhere(userId: string, id: number, details: string): Promise<void> {
    if (await this.sessions.remove(userId, id)) {
      await this.accessChanges.announce(userId);
      await this.events.record({ kind: 'session_revoked', userId, details });
    }
  }

  /** @param exceptId a session that remains */
  async revokeAll(userId: string, clientAddress?: string, exceptId?: number): Promise<void> {
    await this.sessions.removeAllOfUser(userId, exceptId);
    await this.accessChanges.announce(userId);
    const details = exceptId === undefined ? 'all' : 'all others';
    await this.events.record({ kind: 'session_revoked', userId, address: clientAddress, details });
  }

  /** No-op if it has ended. */
  async end({ account, id }: Session): Promise<void> {
    if (await this.sessions.remove(account.userId, id)) {
      await this.accessChanges.announce(account.userId);
    }
  }

  /**
   * Begun with the password alone before a second factor was required of the account, or with one that is not
   * taken any more. Providers have factors of their own.
   */
  #isIncomplete(found: SessionAccountRow): boolean {
    return (
      found.provider === 'password' &&
      (this.rule.isMissing(found) || !mayHavePassword(found.userId, this.config))
    );
  }

  /** Now, and the time before which a session last seen has expired. */
  #times(): [Date, Date] {
    const now = this.clock.now();
    return [now, new Date(now.getTime() - LIVES_UNUSED_SECONDS * 1000)];
  }
}

/** CSRF token: an HMAC keyed with the cookie's value, which it does not reveal. */
function requestTokenOf(token: string): string {
  return createHmac('sha256', token).update('gatefold request token').digest('base64url');
}
