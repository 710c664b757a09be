import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { OidcSettings } from '../../common/config/config.js';
import { PublicAddress } from '../../common/http/public-address.js';
import type { Session } from '../../common/ports/sessions.js';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { BrowserSessions } from '../sessions/browser-sessions.js';
import { HandshakeCookie } from './handshake-cookie.js';
import { IdentityProvider } from './identity-provider.js';
import { OidcAccountsService } from './oidc-accounts.service.js';
import { OidcLoginFailed } from './oidc.errors.js';
import { OidcRepository } from './oidc.repository.js';

const ID_TOKEN_PURPOSE = 'id token of a session';

/** The way of a browser to the identity provider and back, and away at the end. */
@Injectable()
export class OidcLoginService {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly accounts: OidcAccountsService,
    private readonly oidc: OidcRepository,
    private readonly handshake: HandshakeCookie,
    private readonly browserSessions: BrowserSessions,
    private readonly secretBox: SecretBox,
    private readonly address: PublicAddress,
  ) {}

  /**
   * @returns where to send the browser
   * @throws OidcLoginFailed
   */
  async begin(
    settings: OidcSettings,
    request: Request,
    response: Response,
    redirectUrl: string,
  ): Promise<URL> {
    const handshake = this.provider.newHandshake();
    const target = await this.provider.loginAddress(settings, handshake, this.#returnAddress);
    this.handshake.set(request, response, { ...handshake, redirectUrl });
    return target;
  }

  /**
   * Begins a session for whom the provider vouches.
   *
   * @returns where the browser was going to
   * @throws OidcLoginFailed
   */
  async finish(settings: OidcSettings, request: Request, response: Response): Promise<string> {
    const begun = this.handshake.read(request);
    if (begun === null) {
      throw new OidcLoginFailed('expired');
    }
    // Good for one answer, whatever comes of it.
    this.handshake.clear(request, response);
    const [, query = ''] = request.url.split('?');
    const answer = new URL(`${this.#returnAddress}?${query}`);
    const user = await this.provider.redeem(settings, begun, answer);
    const userId = await this.accounts.accountFor(settings, user);
    const { id } = await this.browserSessions.begin(request, response, userId, 'oidc');
    await this.oidc.addSession(id, {
      sealedIdToken: this.secretBox.seal(user.idToken, ID_TOKEN_PURPOSE),
      issuer: user.issuer,
      sid: user.sid,
    });
    return begun.redirectUrl;
  }

  /** @returns where the session ends at the provider as well; null when there is nothing to end */
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
      // Sealed with a key that is no more: that must not keep anybody from logging out.
      return null;
    }
  }

  get #returnAddress(): string {
    return this.address.of('/login/oidc/callback');
  }
}
