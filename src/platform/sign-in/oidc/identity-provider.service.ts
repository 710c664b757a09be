import { Injectable } from '@nestjs/common';
import * as oidc from 'openid-client';
import { Clock } from '../../../common/clock.js';
import { OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { SparseWarnings } from '../../../common/logging/sparse-warnings.js';
import { askParty, InstallationChecks } from '../../../common/ports/installation-checks.js';
import { OidcSettings } from '../oidc.settings.js';
import {
  InvalidLogoutToken,
  providerKeys,
  readLogoutToken,
  type LogoutToken,
  type ProviderKeys,
} from './logout-token.js';
import { fetchThrough } from './oidc-fetch.js';
import type { OidcIdentity } from './oidc.entities.js';
import { OidcLoginFailed, type OidcProblem } from './oidc.errors.js';

/** Binds the provider's answer to the browser that began the login. */
interface Handshake {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** A user verified by the provider. */
export interface ProvenUser extends OidcIdentity {
  /** Claims of the ID token and the user info endpoint. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Needed by the provider at logout. */
  readonly idToken: string;
  /** The provider's id of the login, if it sends one. */
  readonly sid: string | undefined;
}

/** Providers rarely change their metadata. */
const ASK_AGAIN_SECONDS = 3600;

const TIMEOUT_SECONDS = 15;

/** The configured OpenID Connect provider; wraps `openid-client`. */
@Injectable()
export class IdentityProvider {
  readonly #warnings = new SparseWarnings('IdentityProvider');
  #keys: { readonly address: string; readonly keys: ProviderKeys } | undefined;
  #known: { readonly configuration: oidc.Configuration; readonly sinceSeconds: number } | undefined;

  constructor(
    private readonly settings: OidcSettings,
    private readonly http: OutgoingHttp,
    private readonly clock: Clock,
    checks: InstallationChecks,
  ) {
    checks.add('OpenID Connect', () =>
      askParty(settings.issuer, () => this.#examine(), 'GATEFOLD_OIDC_…'),
    );
  }

  newHandshake(): Handshake {
    return {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      codeVerifier: oidc.randomPKCECodeVerifier(),
    };
  }

  /**
   * Address of the provider's login page.
   *
   * @param returnTo redirect URI
   * @param again asks the provider to authenticate again
   * @throws OidcLoginFailed when the provider's metadata cannot be fetched
   */
  async loginAddress(
    { state, nonce, codeVerifier }: Handshake,
    returnTo: string,
    again: boolean,
  ): Promise<URL> {
    const configuration = await this.#configuration();
    return oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: returnTo,
      scope: this.settings.scopes,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(again ? { prompt: 'login' } : {}),
    });
  }

  /**
   * Exchanges the provider's answer for the verified user.
   *
   * @param answer the redirect URI with the provider's query
   * @throws OidcLoginFailed
   */
  async redeem(handshake: Handshake, answer: URL): Promise<ProvenUser> {
    const configuration = await this.#configuration();
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, answer, {
        expectedState: handshake.state,
        expectedNonce: handshake.nonce,
        pkceCodeVerifier: handshake.codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) {
        throw new OidcLoginFailed('unproven');
      }
      // Many providers put only the subject into the ID token.
      const more =
        configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return {
        issuer: claims.iss,
        subject: claims.sub,
        claims: { ...claims, ...more },
        idToken: tokens.id_token,
        sid: typeof claims['sid'] === 'string' ? claims['sid'] : undefined,
      };
    } catch (error) {
      throw this.#explained(error, problemOf(error));
    }
  }

  /**
   * Address of the provider's logout page.
   *
   * @returns null when the provider has none or cannot be reached
   */
  async logoutAddress(idToken: string, returnTo: string): Promise<URL | null> {
    try {
      const configuration = await this.#configuration();
      return configuration.serverMetadata().end_session_endpoint === undefined
        ? null
        : oidc.buildEndSessionUrl(configuration, {
            id_token_hint: idToken,
            post_logout_redirect_uri: returnTo,
          });
    } catch (error) {
      if (error instanceof OidcLoginFailed) {
        return null;
      }
      throw error;
    }
  }

  /**
   * Verifies a logout token of the provider.
   *
   * @throws OidcLoginFailed when the provider's keys cannot be fetched
   */
  async readLogoutToken(token: string): Promise<LogoutToken> {
    const { issuer, jwks_uri: keysAddress } = (await this.#configuration()).serverMetadata();
    const { clientId } = this.settings;
    try {
      const keys = this.#keysAt(keysAddress);
      return await readLogoutToken(token, keys, { issuer, clientId, now: this.clock.now() });
    } catch (error) {
      throw error instanceof InvalidLogoutToken ? error : this.#explained(error, 'unreachable');
    }
  }

  /** Asks for metadata and keys anew. @throws Error with the reason why nobody can log in */
  async #examine(): Promise<void> {
    try {
      const { jwks_uri: url = '' } = (await this.#discover()).serverMetadata();
      const { status } = await this.http.request({ url, addressPolicy: 'operator-configured' });
      if (status !== 200) {
        throw new Error(`its keys have the status ${status}`);
      }
    } catch (error) {
      throw new Error(reasonsOf(error), { cause: error });
    }
  }

  #keysAt(address: string | undefined): ProviderKeys {
    if (address === undefined) {
      throw new Error('the metadata of the provider has no jwks_uri');
    }
    if (this.#keys?.address !== address) {
      this.#keys = { address, keys: providerKeys(address, this.http) };
    }
    return this.#keys.keys;
  }

  async #configuration(): Promise<oidc.Configuration> {
    const nowSeconds = this.clock.nowSeconds();
    if (this.#known !== undefined && nowSeconds < this.#known.sinceSeconds + ASK_AGAIN_SECONDS) {
      return this.#known.configuration;
    }
    try {
      const configuration = await this.#discover();
      this.#known = { configuration, sinceSeconds: nowSeconds };
      return configuration;
    } catch (error) {
      throw this.#explained(error, 'unreachable');
    }
  }

  #discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const insecure = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
    return oidc.discovery(new URL(issuer), clientId, undefined, proofOf(clientSecret), {
      [oidc.customFetch]: fetchThrough(this.http),
      timeout: TIMEOUT_SECONDS,
      // The library skips the signature by default, because the token comes directly from the provider; but
      // in a private network that connection may lack TLS.
      execute: [...insecure, oidc.enableNonRepudiationChecks],
    });
  }

  #explained(error: unknown, problem: OidcProblem): OidcLoginFailed {
    if (error instanceof OidcLoginFailed) {
      return error;
    }
    this.#warnings.warn(`a login failed (${problem}):  ${reasonsOf(error)}`);
    return new OidcLoginFailed(problem, { cause: error });
  }
}

/** `client_secret_basic`, which is the default when the metadata lists no methods. */
function proofOf(clientSecret: string | undefined): oidc.ClientAuth {
  if (clientSecret === undefined) {
    return oidc.None();
  }
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (offered.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

function problemOf(error: unknown): OidcProblem {
  if (error instanceof oidc.AuthorizationResponseError) {
    return 'cancelled';
  }
  return isOfTheWay(error) ? 'unreachable' : 'unproven';
}

/** Whether the request got no answer; the library wraps unknown errors. */
function isOfTheWay(error: unknown): boolean {
  return error instanceof OutgoingHttpError || (error instanceof Error && isOfTheWay(error.cause));
}

/** The message of an error and of its causes. */
function reasonsOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown reason';
  }
  const described = 'error_description' in error ? ` (${String(error.error_description)})` : '';
  const cause = error.cause instanceof Error ? `: ${reasonsOf(error.cause)}` : '';
  return `${error.message}${described}${cause}`;
}
