import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Config } from '../../../common/config/config.js';

/** The prefix keeps it from external apps, see `app-api/proxy/host-cookies`. */
const NAME = 'gatefold_session';

/**
 * The prefix says that no other origin below the same domain has set the cookie. Browsers accept it with
 * https and without a path only.
 */
function sessionCookieName({ baseUrl }: Config): string {
  const address = URL.parse(baseUrl ?? '');
  return address?.protocol === 'https:' && address.pathname === '/' ? `__Host-${NAME}` : NAME;
}

/**
 * Sessions from before the prefix have shorter tokens: a cookie without it counts for these alone, until the
 * last one ends.
 *
 * @returns null without a cookie of the right form
 */
export function sessionTokenOf(
  { headers: { cookie = '' } }: Pick<Request, 'headers'>,
  config: Config,
): string | null {
  const name = sessionCookieName(config);
  const token = tokenIn(cookie, name, '43,44');
  return name === NAME || config.appsOrigin !== undefined
    ? token
    : (token ?? tokenIn(cookie, NAME, '43'));
}

function tokenIn(cookies: string, name: string, lengths: string): string | null {
  const cookie = new RegExp(`(?:^|;)\\s*${name}=([A-Za-z0-9_-]{${lengths}})\\s*(?=;|$)`);
  return cookie.exec(cookies)?.[1] ?? null;
}

/** The session cookie: `HttpOnly` and `SameSite`. */
@Injectable()
export class SessionCookie {
  constructor(private readonly config: Config) {}

  get name(): string {
    return sessionCookieName(this.config);
  }

  set(request: Request, response: Response, token: string, livesSeconds: number): void {
    response.cookie(this.name, token, {
      ...this.#options(request),
      maxAge: livesSeconds * 1000,
    });
  }

  clear(request: Request, response: Response): void {
    response.clearCookie(this.name, this.#options(request));
  }

  #options(request: Request): CookieOptions {
    const publicAddress = URL.parse(this.config.baseUrl ?? '');
    return {
      httpOnly: true,
      sameSite: 'lax',
      secure: publicAddress?.protocol === 'https:' || request.secure,
      path: publicAddress?.pathname ?? '/',
    };
  }
}
