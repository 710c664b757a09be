import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { PublicAddress } from '../../../common/config/public-address.js';
import type { Session } from '../../../common/ports/sessions.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { SealedCookies, type CookieKind } from '../forms/sealed-cookies.service.js';
import { ProviderLogoutOffer } from '../login/provider-logout.offer.js';
import { BrowserSessions } from '../sessions/browser-sessions.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { IdentityProvider } from './identity-provider.service.js';
import { OidcAccountsService } from './oidc-accounts.service.js';
import { OidcLoginFailed } from './oidc.errors.js';
import { OidcRepository } from './oidc.repository.js';

const Begun = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUrl: z.string(),
});

/** A login in progress at the provider, kept by the browser that began it: a forged address logs in no one else. */
const HANDSHAKE: CookieKind<typeof Begun> = {
  name: 'gatefold_oidc',
  purpose: 'login with the identity provider',
  path: '/login/oidc',
  content: Begun,
  // Allows time to find a password or a second factor.
  livesSeconds: 900,
};

const LONGEST_REDIRECT = 1000;

const ID_TOKEN_PURPOSE = 'id token of a session';

/** Login at the identity provider by redirects, and logout. */
@Injectable()
export class OidcLoginService {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly accounts: OidcAccountsService,
    private readonly oidc: OidcRepository,
    private readonly cookies: SealedCookies,
    private readonly browserSessions: BrowserSessions,
    private readonly secretBox: SecretBox,
    private readonly address: PublicAddress,
    logout: ProviderLogoutOffer,
  ) {
    logout.fill(this);
  }

  /** @param again asks the provider to authenticate again @returns address for the browser */
  async begin(
    request: Request,
    response: Response,
    { redirectUrl, again }: { readonly redirectUrl: string; readonly again: boolean },
  ): Promise<URL> {
    const handshake = this.provider.newHandshake();
    const target = await this.provider.loginAddress(handshake, this.#returnAddress, again);
    const kept = redirectUrl.length > LONGEST_REDIRECT ? '' : redirectUrl;
    this.cookies.set(request, response, HANDSHAKE, { ...handshake, redirectUrl: kept });
    return target;
  }

  /**
   * Verifies the provider's answer and begins a session.
   *
   * @returns the path that the browser requested before the login
   * @throws OidcLoginFailed
   */
  async finish(request: Request, response: Response): Promise<string> {
    const begun = this.cookies.read(request, HANDSHAKE);
    if (begun === null) {
      throw new OidcLoginFailed('expired');
    }
    // A browser tries each handshake once; `use` also stops a copy of the cookie.
    this.cookies.clear(request, response, HANDSHAKE);
    const [, query = ''] = request.url.split('?');
    const answer = new URL(`${this.#returnAddress}?${query}`);
    const user = await this.provider.redeem(begun, answer);
    if (!(await this.cookies.use(request, HANDSHAKE))) {
      throw new OidcLoginFailed('expired');
    }
    const userId = await this.accounts.accountFor(user);
    const { id } = await this.browserSessions.begin(request, response, userId, 'oidc');
    await this.oidc.addSession(id, {
      sealedIdToken: this.secretBox.seal(user.idToken, ID_TOKEN_PURPOSE),
      issuer: user.issuer,
      sid: user.sid,
    });
    return begun.redirectUrl;
  }

  /** Implements `ProviderLogoutOffer`. */
  async logoutAddress(session: Session): Promise<URL | null> {
    const sealed = await this.oidc.findIdToken(session.id);
    const idToken = sealed === null ? null : this.#open(sealed);
    return idToken === null
      ? null
      : this.provider.logoutAddress(idToken, this.address.of('/login'));
  }

  #open(sealed: Buffer): string | null {
    try {
      return this.secretBox.open(sealed, ID_TOKEN_PURPOSE);
    } catch {
      // Sealed with a lost key. The logout here must work all the same.
      return null;
    }
  }

  get #returnAddress(): string {
    return this.address.of('/login/oidc/callback');
  }
}

/** Back-channel logout: ends sessions whose login ended at the identity provider. */
@Injectable()
export class OidcLogoutService {
  readonly #logger = new Logger('IdentityProvider');

  constructor(
    private readonly provider: IdentityProvider,
    private readonly oidc: OidcRepository,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * @param logoutToken as the provider sent it
   * @throws OidcLoginFailed when the provider's keys cannot be fetched
   */
  async end(logoutToken: string): Promise<void> {
    const token = await this.provider.readLogoutToken(logoutToken);
    const found = await this.oidc.sessionsOf(token);
    for (const { userId, sessionId } of found) {
      await this.sessions.endElsewhere(userId, sessionId, 'by the identity provider');
    }
    this.#logger.debug(`${found.length} session(s) ended with the login at the provider`);
  }
}
