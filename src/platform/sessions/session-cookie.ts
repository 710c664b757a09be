import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Config } from '../../common/config/config.js';

/** The prefix keeps it from external apps, see `app-api/proxy/host-cookies`. */
const NAME = 'gatefold_session';

/**
 * Where apps have an origin of their own, often a name below the same domain, the name says that no
 * other origin has set the cookie. Browsers accept that with https and without a path only.
 */
export function sessionCookieName({ appsOrigin, baseUrl }: Config): string {
  const address = URL.parse(baseUrl ?? '');
  const canBeOfHost = address?.protocol === 'https:' && address.pathname === '/';
  return appsOrigin !== undefined && canBeOfHost ? `__Host-${NAME}` : NAME;
}

/**
 * @param name of the cookie
 * @returns null without a cookie of the right form
 */
export function sessionTokenOf({ headers }: Pick<Request, 'headers'>, name: string): string | null {
  const cookie = new RegExp(`(?:^|;)\\s*${name}=([A-Za-z0-9_-]{43})\\s*(?=;|$)`);
  return cookie.exec(headers.cookie ?? '')?.[1] ?? null;
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
