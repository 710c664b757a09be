import { Injectable, Logger } from '@nestjs/common';
import * as oidc from 'openid-client';
import { Clock } from '../../common/clock.js';
import { Config, type OidcSettings } from '../../common/config/config.js';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../common/http/outgoing-http.js';
import type { OidcIdentity } from './oidc-identity.entity.js';
import { fetchThrough } from './oidc-fetch.js';
import {
  InvalidLogoutToken,
  providerKeys,
  readLogoutToken,
  type LogoutToken,
  type ProviderKeys,
} from './logout-token.js';
import { OidcLoginFailed, type OidcProblem } from './oidc.errors.js';

/** What ties the provider's answer to the browser that asked for it. */
interface Handshake {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Somebody for whom the provider vouches. */
export interface ProvenUser extends OidcIdentity {
  /** Everything the provider says about them. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Shown to the provider again at the logout. */
  readonly idToken: string;
  /** What the provider calls this login, when it says so at all. */
  readonly sid: string | undefined;
}

/** Providers change addresses and ways rarely, and announce it early. */
const ASK_AGAIN_SECONDS = 3600;

const TIMEOUT_SECONDS = 15;

/** The OpenID Connect provider that the operator has chosen; the library behind it stays in here. */
@Injectable()
export class IdentityProvider {
  readonly #logger = new Logger('IdentityProvider');
  #keys: { readonly address: string; readonly keys: ProviderKeys } | undefined;
  #known: { readonly configuration: oidc.Configuration; readonly sinceSeconds: number } | undefined;

  constructor(
    private readonly config: Config,
    private readonly http: OutgoingHttp,
    private readonly clock: Clock,
  ) {}

  get settings(): OidcSettings | undefined {
    return this.config.oidc;
  }

  newHandshake(): Handshake {
    return {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      codeVerifier: oidc.randomPKCECodeVerifier(),
    };
  }

  /**
   * Where to send the browser.
   *
   * @param returnTo where the provider sends it back to
   * @throws OidcLoginFailed when the provider cannot be asked how it wants it
   */
  async loginAddress(
    settings: OidcSettings,
    { state, nonce, codeVerifier }: Handshake,
    returnTo: string,
  ): Promise<URL> {
    const configuration = await this.#configuration(settings);
    return oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: returnTo,
      scope: settings.scopes,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
  }

  /**
   * Turns the answer that the browser brought back into who it is for.
   *
   * @param answer the address that the browser was sent back to, with its query
   * @throws OidcLoginFailed
   */
  async redeem(settings: OidcSettings, handshake: Handshake, answer: URL): Promise<ProvenUser> {
    const configuration = await this.#configuration(settings);
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
      // Many providers put no more than the subject into the token itself.
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
   * Where to send a browser that logs out, so that the provider ends its session as well.
   *
   * @returns null when the provider offers no such thing, or cannot be asked
   */
  async logoutAddress(idToken: string, returnTo: string): Promise<URL | null> {
    const { settings } = this;
    if (settings === undefined) {
      return null;
    }
    try {
      const configuration = await this.#configuration(settings);
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
   * What the provider says about a login that ended there.
   *
   * @throws InvalidLogoutToken
   * @throws OidcLoginFailed when the provider cannot be asked for its keys
   */
  async readLogoutToken(settings: OidcSettings, token: string): Promise<LogoutToken> {
    const { issuer, jwks_uri: keysAddress } = (
      await this.#configuration(settings)
    ).serverMetadata();
    const { clientId } = settings;
    try {
      const keys = this.#keysAt(keysAddress);
      return await readLogoutToken(token, keys, { issuer, clientId, now: this.clock.now() });
    } catch (error) {
      throw error instanceof InvalidLogoutToken ? error : this.#explained(error, 'unreachable');
    }
  }

  #keysAt(address: string | undefined): ProviderKeys {
    if (address === undefined) {
      throw new Error('the provider does not say where its keys are');
    }
    if (this.#keys?.address !== address) {
      this.#keys = { address, keys: providerKeys(address, this.http) };
    }
    return this.#keys.keys;
  }

  async #configuration(settings: OidcSettings): Promise<oidc.Configuration> {
    const nowSeconds = this.clock.nowSeconds();
    if (this.#known !== undefined && nowSeconds < this.#known.sinceSeconds + ASK_AGAIN_SECONDS) {
      return this.#known.configuration;
    }
    try {
      const configuration = await this.#discover(settings);
      this.#known = { configuration, sinceSeconds: nowSeconds };
      return configuration;
    } catch (error) {
      throw this.#explained(error, 'unreachable');
    }
  }

  #discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<oidc.Configuration> {
    const insecure = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
    return oidc.discovery(new URL(issuer), clientId, undefined, proofOf(clientSecret), {
      [oidc.customFetch]: fetchThrough(this.http),
      timeout: TIMEOUT_SECONDS,
      // The library would leave the signature unchecked, since the token comes from the provider
      // itself; within a private network that may be without TLS.
      execute: [...insecure, oidc.enableNonRepudiationChecks],
    });
  }

  #explained(error: unknown, problem: OidcProblem): OidcLoginFailed {
    if (error instanceof OidcLoginFailed) {
      return error;
    }
    this.#logger.warn(`somebody could not log in (${problem}): ${reasonsOf(error)}`);
    return new OidcLoginFailed(problem, { cause: error });
  }
}

/** By the way that providers have to offer when they do not say which they do. */
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

/** Whether a request of ours got no answer; the library wraps what it does not know. */
function isOfTheWay(error: unknown): boolean {
  return error instanceof OutgoingHttpError || (error instanceof Error && isOfTheWay(error.cause));
}

/** Errors of the library say what, their causes say why. */
function reasonsOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown reason';
  }
  const described = 'error_description' in error ? ` (${String(error.error_description)})` : '';
  const cause = error.cause instanceof Error ? `: ${reasonsOf(error.cause)}` : '';
  return `${error.message}${described}${cause}`;
}
