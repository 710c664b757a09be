import type { Request } from 'express';
import { Offer } from './offer.js';
import type { Account } from './user-directory.js';

/** A browser session of a user. */
export interface Session {
  readonly id: number;
  readonly account: Account;
  /**
   * CSRF token, which pages send in the header or form field `requesttoken`. Constant for the
   * session.
   */
  readonly requestToken: string;
  /** When the user last proved who they are, in Unix seconds; see `RecentProof`. */
  readonly provenSeconds: number;
  /** Unix seconds at which it ends in any case. */
  readonly endsSeconds: number;
  /** Seconds without a request after which it ends. */
  readonly unusedSeconds: number;
  /** Unix seconds at which the account is deleted as its user wished; null: it is not. */
  readonly leavesSeconds: number | null;
}

/** Request data that identifies a session. */
export type SessionRequest = Pick<Request, 'headers' | 'ip'>;

/** Port to sessions of browsers; implemented by `sign-in/sessions`. */
export abstract class Sessions {
  /**
   * Checks only the cookie. Use `SessionGate` for CSRF protection, except for pages without side
   * effects.
   *
   * @returns null without a cookie, for ended or expired sessions, and disabled accounts
   */
  abstract identify(request: SessionRequest): Promise<Session | null>;

  /**
   * The account of a session that another credential refers to.
   *
   * @returns null if the session has ended or expired, or the account is disabled
   */
  abstract accountOf(sessionId: number, userId: string): Promise<Account | null>;
}

export class SessionsOffer extends Offer<Sessions> {}
