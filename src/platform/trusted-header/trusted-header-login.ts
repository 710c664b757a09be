import { Injectable, Logger, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config, type TrustedLoginSettings } from '../../common/config/config.js';
import { AccountAlreadyExists } from '../platform.errors.js';
import { BrowserSessions } from '../sessions/browser-sessions.js';
import { SessionCookie, SESSION_COOKIE } from '../sessions/session-cookie.js';
import { SessionsService, type BegunSession } from '../sessions/sessions.service.js';
import { generatePassword } from '../passwords/generate-password.js';
import { isUserId } from '../users/user-id.js';
import { UsersService } from '../users/users.service.js';

/** Programs behind the proxy that keep no cookies get the same session again; so many of them. */
const MOST_REMEMBERED = 1000;

/**
 * Believes a reverse proxy that says who has logged in with it, and nobody else: the header counts
 * only when the proxy itself is at the other end of the connection. It begins a session, so that
 * everything that protects sessions protects this one, too.
 */
@Injectable()
export class TrustedHeaderLogin implements NestMiddleware {
  readonly #logger = new Logger('TrustedLogin');
  /** Sessions by who has got them, oldest first. */
  readonly #begun = new Map<string, BegunSession>();

  constructor(
    private readonly config: Config,
    private readonly users: UsersService,
    private readonly sessions: SessionsService,
    private readonly browserSessions: BrowserSessions,
    private readonly cookie: SessionCookie,
  ) {}

  async use(request: Request, response: Response, next: NextFunction): Promise<void> {
    await this.#admit(request, response);
    next();
  }

  /** Makes the request one of the session of whom the proxy names, if it names anybody. */
  async #admit(request: Request, response: Response): Promise<void> {
    const { trustedLogin } = this.config;
    if (trustedLogin === undefined || bringsCredentials(request) || !isFromProxy(request)) {
      return;
    }
    const named = request.get(trustedLogin.header)?.trim() ?? '';
    if (named === '' || !(await this.#hasAccount(named, trustedLogin))) {
      return;
    }
    const current = await this.sessions.identify(request);
    if (current?.account.userId !== named) {
      await this.#begin(request, response, named);
    }
  }

  async #hasAccount(userId: string, settings: TrustedLoginSettings): Promise<boolean> {
    if ((await this.users.find(userId)) !== null) {
      return true;
    }
    if (!settings.createAccounts || !isUserId(userId)) {
      this.#logger.warn(`no account that may be used is called ${JSON.stringify(userId)}`);
      return false;
    }
    try {
      // A password that nobody knows: the proxy is the way in.
      await this.users.add({ userId, password: generatePassword() });
      return true;
    } catch (error) {
      if (!(error instanceof AccountAlreadyExists)) {
        throw error;
      }
      // Added by another request just now, or there and disabled.
      return (await this.users.find(userId)) !== null;
    }
  }

  async #begin(request: Request, response: Response, userId: string): Promise<void> {
    const key = JSON.stringify([userId, request.get('user-agent'), request.ip]);
    const known = this.#begun.get(key);
    if (known !== undefined) {
      useCookie(request, known.token);
      if ((await this.sessions.identify(request))?.account.userId === userId) {
        this.cookie.set(request, response, known.token, known.livesSeconds);
        return;
      }
    }
    const begun = await this.browserSessions.begin(request, response, userId, 'header');
    this.#remember(key, begun);
    useCookie(request, begun.token);
  }

  #remember(key: string, begun: BegunSession): void {
    this.#begun.delete(key);
    this.#begun.set(key, begun);
    const [oldest] = this.#begun.keys();
    if (this.#begun.size > MOST_REMEMBERED && oldest !== undefined) {
      this.#begun.delete(oldest);
    }
  }
}

/** Those go first, everywhere. */
function bringsCredentials({ headers }: Request): boolean {
  return headers.authorization !== undefined || headers['authorization-app-api'] !== undefined;
}

/** By the address at the other end of the connection, which no header can change. */
function isFromProxy(request: Request): boolean {
  const isTrusted = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return isTrusted(request.socket.remoteAddress ?? '', 0);
}

/** For everything that looks at this request after us. */
function useCookie(request: Request, token: string): void {
  const others = (request.headers.cookie ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie !== '' && !cookie.startsWith(`${SESSION_COOKIE}=`));
  request.headers.cookie = [`${SESSION_COOKIE}=${token}`, ...others].join('; ');
}
