import { Injectable, Logger, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { keepLatest } from '../../../common/keep-latest.js';
import { isUserId } from '../../accounts/users/user-id.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { BrowserSessions } from '../sessions/browser-sessions.service.js';
import { SessionCookie } from '../sessions/session-cookie.service.js';
import { SessionsService, type BegunSession } from '../sessions/sessions.service.js';
import { TrustedHeaderSettings } from './trusted-header.settings.js';

/** Programs that keep no cookies reuse their session; the number of such sessions. */
const MOST_REMEMBERED = 1000;

/**
 * Login by a header of a reverse proxy. The header is trusted only if the peer address of the
 * connection is the proxy's. It begins a session, which has CSRF protection like any other.
 */
@Injectable()
export class TrustedHeaderLogin implements NestMiddleware {
  readonly #logger = new Logger('TrustedLogin');
  /** Sessions by user and client, oldest first. */
  readonly #begun = new Map<string, BegunSession>();

  constructor(
    private readonly settings: TrustedHeaderSettings,
    private readonly users: UsersService,
    private readonly sessions: SessionsService,
    private readonly browserSessions: BrowserSessions,
    private readonly cookie: SessionCookie,
  ) {}

  async use(request: Request, response: Response, next: NextFunction): Promise<void> {
    await this.#admit(request, response);
    next();
  }

  /** Adds the session of the user in the header to the request. */
  async #admit(request: Request, response: Response): Promise<void> {
    const { header } = this.settings;
    if (header === undefined || bringsCredentials(request) || !isFromProxy(request)) {
      return;
    }
    const named = request.get(header)?.trim() ?? '';
    if (named === '' || !(await this.#hasAccount(named))) {
      return;
    }
    const current = await this.sessions.identify(request);
    if (current?.account.userId !== named) {
      await this.#begin(request, response, named);
    }
  }

  async #hasAccount(userId: string): Promise<boolean> {
    if ((await this.users.find(userId)) !== null) {
      return true;
    }
    if (!this.settings.createAccounts || !isUserId(userId)) {
      this.#logger.warn(`there is no enabled account ${JSON.stringify(userId)}`);
      return false;
    }
    await this.users.addFromElsewhere({ userId });
    // Null if the account is disabled.
    return (await this.users.find(userId)) !== null;
  }

  async #begin(request: Request, response: Response, userId: string): Promise<void> {
    const key = JSON.stringify([userId, request.get('user-agent'), request.ip]);
    const known = this.#begun.get(key);
    if (known !== undefined) {
      useCookie(request, this.cookie.name, known.token);
      if ((await this.sessions.identify(request))?.account.userId === userId) {
        this.cookie.set(request, response, known.token, known.livesSeconds);
        return;
      }
    }
    const begun = await this.browserSessions.begin(request, response, userId, 'header');
    keepLatest(this.#begun, key, begun, MOST_REMEMBERED);
    useCookie(request, this.cookie.name, begun.token);
  }
}

/** Explicit credentials take precedence. */
function bringsCredentials({ headers }: Request): boolean {
  return headers.authorization !== undefined || headers['authorization-app-api'] !== undefined;
}

/** Decides by the peer address, which no header can forge. */
function isFromProxy(request: Request): boolean {
  const isTrusted = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return isTrusted(request.socket.remoteAddress ?? '', 0);
}

/** Sets the cookie for all later handlers of the request. */
function useCookie(request: Request, name: string, token: string): void {
  const others = (request.headers.cookie ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie !== '' && !cookie.startsWith(`${name}=`));
  request.headers.cookie = [`${name}=${token}`, ...others].join('; ');
}
