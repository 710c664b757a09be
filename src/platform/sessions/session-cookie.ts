import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Config } from '../../common/config/config.js';

/** Below the prefix that keeps a cookie from external apps, see `common/auth/host-cookies`. */
export const SESSION_COOKIE = 'gatefold_session';

const COOKIE = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE}=([A-Za-z0-9_-]{43})\\s*(?=;|$)`);

/** @returns null when there is none, or it is nothing that was ever given out */
export function sessionTokenOf({ headers }: Pick<Request, 'headers'>): string | null {
  return COOKIE.exec(headers.cookie ?? '')?.[1] ?? null;
}

/** The cookie by which a browser is known: out of reach of scripts, and of other sites' forms. */
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
