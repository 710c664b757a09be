import type { Request } from 'express';
import type { Account } from './user-directory.js';

/** A browser in which somebody has logged in. */
export interface Session {
  readonly id: number;
  readonly account: Account;
  /**
   * Proves that a request that changes something comes from a page of ours: pages carry it, and send
   * it as the header or form field `requesttoken`. The same as long as the session lives.
   */
  readonly requestToken: string;
}

/** What of a request its session is found by. */
export type SessionRequest = Pick<Request, 'headers' | 'ip'>;

/** Port to the browsers' sessions; answered by `platform/sessions`. */
export abstract class Sessions {
  /**
   * Reads the cookie alone. Whether the request may make use of it is for `SessionGate` to say;
   * only a page that is shown and changes nothing may go without.
   *
   * @returns null without a cookie, and for sessions that ended, ran out or were revoked, or whose
   *   account is disabled
   */
  abstract identify(request: SessionRequest): Promise<Session | null>;
}
