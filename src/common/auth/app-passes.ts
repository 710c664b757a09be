import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Clock } from '../clock.js';
import { AppsOrigin } from '../config/apps-origin.js';
import { SessionsOffer, type Session } from '../ports/sessions.js';
import type { Account } from '../ports/user-directory.js';
import { SecretBox } from '../secrets/secret-box.js';
import { CsrfCheckFailed } from './auth.errors.js';
import { isFromElsewhere, isSurelyOurs } from './request-origin.js';

/** Validity of a ticket, for the way from our page to the frame. */
const TICKET_SECONDS = 60;
/** Pages renew it long before. */
export const PASS_SECONDS = 3600;

const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Names of which browsers say that they are as secure as https. */
const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

const Content = z.tuple([z.number(), z.string(), z.number()]);

type Kind = 'ticket' | 'pass';

/**
 * Credentials of frames with the page of an external app, where that has an origin of its own. A page
 * of ours gets a *ticket* and hands it to that origin, which exchanges it for a *pass*, a cookie. Both
 * are for one session and one app, and valid only as long as the session. Nothing else accepts them.
 */
@Injectable()
export class AppPasses {
  constructor(
    private readonly sessions: SessionsOffer,
    private readonly secretBox: SecretBox,
    private readonly appsOrigin: AppsOrigin,
    private readonly clock: Clock,
  ) {}

  /** Valid for one minute. */
  ticketFor(session: Session, appId: string): string {
    return this.#issue('ticket', session.id, session.account.userId, appId, TICKET_SECONDS);
  }

  /**
   * Exchanges a ticket for the cookie.
   *
   * @returns false for an expired ticket, of another app, or of an ended session
   */
  async enter(
    request: Request,
    response: Response,
    { appId, ticket }: { readonly appId: string; readonly ticket: string },
  ): Promise<boolean> {
    const [sessionId, userId] = this.#contentOf('ticket', ticket, appId) ?? [];
    if (sessionId === undefined || userId === undefined) {
      return false;
    }
    if ((await this.sessions.required.accountOf(sessionId, userId)) === null) {
      return false;
    }
    const pass = this.#issue('pass', sessionId, userId, appId, PASS_SECONDS);
    const options = this.#cookieOptions(request, appId);
    response.cookie(nameOf(appId, options), pass, { ...options, maxAge: PASS_SECONDS * 1000 });
    return true;
  }

  /**
   * The user of a pass for this app.
   *
   * @returns undefined without a valid pass, and for requests of other origins
   * @throws CsrfCheckFailed for a change of which the browser does not say that a page there sent it
   */
  async visitor(request: Request, appId: string): Promise<Account | undefined> {
    const origin = this.appsOrigin.of(appId);
    if (isFromElsewhere(request, origin) || isPartOfForeignPage(request)) {
      return undefined;
    }
    const account = await this.#holder(request, appId);
    if (account === undefined) {
      return undefined;
    }
    if (!READING_METHODS.has(request.method) && !isSurelyOurs(request, origin)) {
      throw new CsrfCheckFailed();
    }
    return account;
  }

  async #holder(request: Request, appId: string): Promise<Account | undefined> {
    for (const pass of passesIn(request, appId)) {
      const [sessionId, userId] = this.#contentOf('pass', pass, appId) ?? [];
      const account =
        sessionId === undefined || userId === undefined
          ? null
          : await this.sessions.required.accountOf(sessionId, userId);
      if (account !== null) {
        return account;
      }
    }
    return undefined;
  }

  #issue(
    kind: Kind,
    sessionId: number,
    userId: string,
    appId: string,
    livesSeconds: number,
  ): string {
    const content = [sessionId, userId, this.clock.nowSeconds() + livesSeconds];
    return this.secretBox
      .seal(JSON.stringify(content), purposeOf(kind, appId))
      .toString('base64url');
  }

  /** @returns session and user; null if it was not issued for this app, or has expired */
  #contentOf(kind: Kind, text: string, appId: string): readonly [number, string] | null {
    try {
      const opened = this.secretBox.open(Buffer.from(text, 'base64url'), purposeOf(kind, appId));
      const [sessionId, userId, untilSeconds] = Content.parse(JSON.parse(opened));
      return untilSeconds > this.clock.nowSeconds() ? [sessionId, userId] : null;
    } catch {
      return null;
    }
  }

  /**
   * The frame is on our page, which may be of another site: browsers keep its cookies only with
   * `SameSite=None`, and partitioned from the cookies of the same origin elsewhere.
   */
  #cookieOptions(request: Request, appId: string): CookieOptions {
    const url = new URL(this.appsOrigin.of(appId) ?? 'http://localhost');
    const secure = url.protocol === 'https:' || request.secure || LOOPBACK.test(url.hostname);
    return {
      httpOnly: true,
      secure,
      sameSite: secure ? 'none' : 'lax',
      partitioned: secure,
      path: '/',
    };
  }
}

function purposeOf(kind: Kind, appId: string): string {
  return `frame ${kind} of app ${appId}`;
}

/** The prefix keeps other names of the domain from setting it, and `gatefold` apps from seeing it. */
function nameOf(appId: string, { secure = false }: CookieOptions): string {
  return `${secure ? '__Host-' : ''}${plainNameOf(appId)}`;
}

function plainNameOf(appId: string): string {
  return `gatefold_app_${createHash('sha256').update(appId).digest('hex').slice(0, 16)}`;
}

function passesIn({ headers }: Request, appId: string): string[] {
  const pattern = new RegExp(`(?:^|;)\\s*(?:__Host-)?${plainNameOf(appId)}=([A-Za-z0-9_-]+)`, 'g');
  return [...(headers.cookie ?? '').matchAll(pattern)].map(([, pass = '']) => pass);
}

/**
 * A picture, script or request of a page of another origin. The frame itself is opened by our page, which
 * has another origin, too.
 */
function isPartOfForeignPage({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  const isForeign = site === 'cross-site' || site === 'same-site';
  return isForeign && headers['sec-fetch-mode'] !== 'navigate';
}
