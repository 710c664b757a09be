import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SealedCookies, type CookieKind } from '../forms/sealed-cookies.js';

const Begun = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUrl: z.string(),
});

/** A login in progress at the provider. */
type BegunLogin = z.output<typeof Begun>;

const HANDSHAKE: CookieKind<typeof Begun> = {
  name: 'gatefold_oidc',
  purpose: 'login with the identity provider',
  path: '/login/oidc',
  content: Begun,
  // Leaves time to find a password or a second factor.
  livesSeconds: 900,
};

const LONGEST_REDIRECT = 1000;

/**
 * Stores a login in progress in a sealed cookie of the browser that began it. Prevents login CSRF
 * by a prepared address, and needs no cleanup.
 */
@Injectable()
export class HandshakeCookie {
  constructor(private readonly cookies: SealedCookies) {}

  set(request: Request, response: Response, begun: BegunLogin): void {
    const { redirectUrl } = begun;
    const kept = redirectUrl.length > LONGEST_REDIRECT ? '' : redirectUrl;
    this.cookies.set(request, response, HANDSHAKE, { ...begun, redirectUrl: kept });
  }

  /** @returns null for a browser without a login in progress, or with an expired one */
  read(request: Pick<Request, 'headers'>): BegunLogin | null {
    return this.cookies.read(request, HANDSHAKE);
  }

  clear(request: Request, response: Response): void {
    this.cookies.clear(request, response, HANDSHAKE);
  }
}
