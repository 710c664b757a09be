import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Config } from '../config/config.js';
import { Sessions, type Session } from '../ports/sessions.js';
import { CsrfCheckFailed } from './auth.errors.js';
import { couldBeForged, isFromElsewhere, isSurelyOurs } from './request-origin.js';

/** Change nothing, so no other site gains by sending them. */
const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH']);

/**
 * What proves that a page of ours wants a change: its request token, or for pages that have
 * none also the browser's word.
 */
export type ChangeProof = 'token' | 'token-or-origin';

/** A request whose body may not have been read. */
export type GatedRequest = Pick<Request, 'headers' | 'host' | 'ip' | 'method' | 'url'> & {
  readonly body?: unknown;
};

/**
 * Decides whether a request may make use of the browser's session: not when a page of another site
 * sent it, and for a change only with a proof. Credentials that a request brings itself go first;
 * whoever calls sees to that.
 */
@Injectable()
export class SessionGate {
  constructor(
    private readonly sessions: Sessions,
    private readonly config: Config,
  ) {}

  /**
   * @returns undefined for a request that comes without a session, or must not use it
   * @throws CsrfCheckFailed for a change without proof
   */
  async admit(request: GatedRequest, proof: ChangeProof = 'token'): Promise<Session | undefined> {
    const session = isFromElsewhere(request, this.config.baseUrl)
      ? null
      : await this.sessions.identify(request);
    if (session === null) {
      return undefined;
    }
    if (!READING_METHODS.has(request.method) && !this.#isProven(request, session, proof)) {
      throw new CsrfCheckFailed();
    }
    return session;
  }

  /**
   * Browsers send a password that they remember along with any form, whichever site it is on.
   *
   * @throws CsrfCheckFailed for a change that such a form could have sent
   */
  assertIntended(request: GatedRequest): void {
    if (couldBeForged(request, this.config.baseUrl)) {
      throw new CsrfCheckFailed();
    }
  }

  #isProven(request: GatedRequest, { requestToken }: Session, proof: ChangeProof): boolean {
    if (proof === 'token-or-origin' && isSurelyOurs(request, this.config.baseUrl)) {
      return true;
    }
    const sent = request.headers['requesttoken'] ?? fieldOf(request.body);
    return typeof sent === 'string' && isSame(sent, requestToken);
  }
}

function fieldOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, 'requesttoken') : undefined;
}

/** In a time that tells nothing about where two texts differ. */
export function isSame(sent: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(expected));
}
