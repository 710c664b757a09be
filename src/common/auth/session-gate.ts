import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../config/config.js';
import { EdgeRules } from '../config/edge-rules.js';
import { inputBodiesOf } from '../http/input-bodies.js';
import { senderOfUser } from '../http/sender.js';
import { SessionsOffer, type Session } from '../ports/sessions.js';
import { isSameSecret } from '../secrets/token-hash.js';
import { CsrfCheckFailed } from './auth.errors.js';
import { READING_METHODS } from './reading-methods.js';
import {
  couldBeForged,
  couldBePictureOrLink,
  isFromElsewhere,
  isSurelyOurs,
} from './request-origin.js';

/**
 * Proof that one of our pages sent a change: its request token, or for pages without one also the
 * `Origin` or `Sec-Fetch-Site` header.
 */
type ChangeProof = 'token' | 'token-or-origin';

/**
 * CSRF protection: a request uses the browser's session only when no other site sent it, and changes
 * need a proof. Callers must check explicit credentials first.
 */
@Injectable()
export class SessionGate {
  constructor(
    private readonly sessions: SessionsOffer,
    private readonly config: Config,
    private readonly rules: EdgeRules,
  ) {}

  /**
   * @param changes whether the request changes something, where the method does not tell
   * @returns undefined for a request that comes without a session, or must not use it
   * @throws CsrfCheckFailed for a change without proof
   */
  async admit(
    request: Request,
    proof: ChangeProof = 'token',
    changes = !READING_METHODS.has(request.method),
  ): Promise<Session | undefined> {
    const session = isFromElsewhere(request, this.config.baseUrl)
      ? null
      : await this.sessions.required.identify(request);
    if (session === null) {
      return undefined;
    }
    if (changes && !(await this.#isProven(request, session, proof))) {
      throw new CsrfCheckFailed();
    }
    return session;
  }

  /**
   * CSRF protection for Basic credentials, which browsers remember and send with forms, images and
   * links of any site.
   *
   * @param changingGet whether the route is a GET with side effects
   * @throws CsrfCheckFailed for a change that such a form, image or link could have sent
   */
  assertIntended(request: Request, changingGet = false): void {
    const isPicture = changingGet && couldBePictureOrLink(request);
    if (isPicture || this.#couldBeForged(request)) {
      throw new CsrfCheckFailed();
    }
  }

  #couldBeForged(request: Request): boolean {
    return couldBeForged(request, this.config.baseUrl, (path) => this.rules.isCrossOrigin(path));
  }

  async #isProven(
    request: Request,
    { account, requestToken }: Session,
    proof: ChangeProof,
  ): Promise<boolean> {
    if (proof === 'token-or-origin' && isSurelyOurs(request, this.config.baseUrl)) {
      return true;
    }
    const sender = senderOfUser(account.userId);
    const sent =
      request.headers['requesttoken'] ??
      fieldOf(await inputBodiesOf(request).read(request, { sender }));
    return typeof sent === 'string' && isSameSecret(sent, requestToken);
  }
}

function fieldOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, 'requesttoken') : undefined;
}
