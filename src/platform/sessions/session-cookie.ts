import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Config } from '../../common/config/config.js';

/** The prefix keeps it from external apps, see `common/auth/host-cookies`. */
export const SESSION_COOKIE = 'gatefold_session';

const COOKIE = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE}=([A-Za-z0-9_-]{43})\\s*(?=;|$)`);

/** @returns null without a cookie of the right form */
export function sessionTokenOf({ headers }: Pick<Request, 'headers'>): string | null {
  return COOKIE.exec(headers.cookie ?? '')?.[1] ?? null;
}

/** The session cookie: `HttpOnly` and `SameSite`. */
@Injectable()
export class SessionCookie {
  constructor(private readonly config: Config) {}

  set(request: Request, response: Response, token: string, livesSeconds: number): void {
    response.cookie(SESSION_COOKIE, token, {
      ...this.#options(request),
      maxAge: livesSeconds * 1000,
    });
  }

  clear(request: Request, response: Response): void {
    response.clearCookie(SESSION_COOKIE, this.#options(request));
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
