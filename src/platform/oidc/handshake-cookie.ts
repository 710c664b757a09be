import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { z } from 'zod';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { PublicAddress } from '../../common/http/public-address.js';
import { SecretBox } from '../../common/secrets/secret-box.js';

/** The prefix keeps it from external apps, see `common/auth/host-cookies`. */
const NAME = 'gatefold_oidc';
const COOKIE = new RegExp(`(?:^|;)\\s*${NAME}=([A-Za-z0-9_-]{1,4000})\\s*(?=;|$)`);
const PURPOSE = 'login with the identity provider';

/** Leaves time to find a password or a second factor. */
const LIVES_SECONDS = 900;

const LONGEST_REDIRECT = 1000;

const Begun = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUrl: z.string(),
  expiresSeconds: z.number(),
});

/** A login in progress at the provider. */
type BegunLogin = Omit<z.output<typeof Begun>, 'expiresSeconds'>;

/**
 * Stores a login in progress in a sealed cookie of the browser that began it. Prevents login CSRF
 * by a prepared address, and needs no cleanup.
 */
@Injectable()
export class HandshakeCookie {
  constructor(
    private readonly secretBox: SecretBox,
    private readonly address: PublicAddress,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  set(request: Request, response: Response, begun: BegunLogin): void {
    const plain: z.output<typeof Begun> = {
      ...begun,
      redirectUrl: begun.redirectUrl.length > LONGEST_REDIRECT ? '' : begun.redirectUrl,
      expiresSeconds: this.clock.nowSeconds() + LIVES_SECONDS,
    };
    const sealed = this.secretBox.seal(JSON.stringify(plain), PURPOSE).toString('base64url');
    response.cookie(NAME, sealed, { ...this.#options(request), maxAge: LIVES_SECONDS * 1000 });
  }

  /** @returns null for a browser without a login in progress, or with an expired one */
  read({ headers }: Pick<Request, 'headers'>): BegunLogin | null {
    const [, sealed] = COOKIE.exec(headers.cookie ?? '') ?? [];
    const plain = sealed === undefined ? null : this.#open(sealed);
    const begun = plain === null ? null : Begun.parse(JSON.parse(plain));
    return begun !== null && begun.expiresSeconds > this.clock.nowSeconds() ? begun : null;
  }

  clear(request: Request, response: Response): void {
    response.clearCookie(NAME, this.#options(request));
  }

  #open(sealed: string): string | null {
    try {
      return this.secretBox.open(Buffer.from(sealed, 'base64url'), PURPOSE);
    } catch {
      // Sealed with another key, or damaged.
      return null;
    }
  }

  #options(request: Request): CookieOptions {
    return {
      httpOnly: true,
      // `lax`: the redirect back is a cross-site navigation.
      sameSite: 'lax',
      secure: this.config.baseUrl?.startsWith('https:') === true || request.secure,
      path: this.address.pathOf('/login/oidc'),
    };
  }
}
