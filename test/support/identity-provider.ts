import { jest } from '@jest/globals';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { Browser } from './browser.js';
import { SERVER } from './private-authority.js';

export const CLIENT = { id: 'gatefold', secret: 'a secret of the tests, long enough' };

const KEY_ID = 'key-of-the-tests';

/** A local OpenID Connect provider, with users that need no password. */
export interface TestIdentityProvider {
  readonly issuer: string;
  /** Claims of users by id; may be changed at any time. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** Registers the service as its client; before that it has none. */
  accept(serviceUrl: string): void;
  /**
   * Logs in there, like a user with a browser.
   *
   * @param address the redirect of the service
   * @returns the redirect of the provider
   */
  login(address: string, personId: string): Promise<string>;
  /** Logs out there in the browser of the last login; the provider notifies its clients. */
  logout(personId: string): Promise<void>;
  /** A token with the provider's signature and any claims. */
  signed(claims: object, header?: object): string;
  stop(): Promise<void>;
}

/** @param secure https with a certificate of the private authority of tests */
export async function startIdentityProvider(secure = false): Promise<TestIdentityProvider> {
  const server = secure ? https.createServer(SERVER) : http.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `${secure ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Readonly<Record<string, unknown>>>();
  const browsers = new Map<string, Browser>();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    issuer,
    people,
    accept(serviceUrl) {
      // The warning that it is not for production.
      const warnings = jest.spyOn(console, 'warn').mockImplementation(() => {});
      server.on('request', providerFor({ issuer, serviceUrl, people, privateKey }).callback());
      warnings.mockRestore();
    },
    async login(address, personId) {
      const browser = new Browser(issuer);
      browsers.set(personId, browser);
      let target = address;
      // Login, consent, and the redirects between them.
      for (let step = 0; step < 10 && target.startsWith(issuer); step++) {
        const path = target.slice(issuer.length);
        const page = await browser.get(path);
        const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1];
        const answer =
          prompt === undefined
            ? page
            : await browser.submit(path, { prompt, login: personId, password: 'any' });
        target = new URL(answer.headers.location ?? '', issuer).href;
      }
      return target;
    },
    async logout(personId) {
      const browser = browsers.get(personId) ?? new Browser(issuer);
      const page = await browser.get('/session/end');
      const [, xsrf = ''] = /name="xsrf" value="(\w+)"/.exec(page.text) ?? [];
      await browser.submit('/session/end/confirm', { xsrf, logout: 'yes' });
    },
    signed(claims, header = {}) {
      const encoded = [{ alg: 'RS256', kid: KEY_ID, typ: 'logout+jwt', ...header }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      const signature = sign('sha256', Buffer.from(encoded), privateKey);
      return `${encoded}.${signature.toString('base64url')}`;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface ProviderSetting {
  readonly issuer: string;
  readonly serviceUrl: string;
  readonly people: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly privateKey: KeyObject;
}

function providerFor({ issuer, serviceUrl, people, privateKey }: ProviderSetting): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${serviceUrl}/login/oidc/callback`],
        post_logout_redirect_uris: [`${serviceUrl}/login`],
        backchannel_logout_uri: `${serviceUrl}/login/oidc/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups', 'roles'],
      email: ['email'],
    },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ ...people.get(id), sub: id }),
    }),
    features: {
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context: { body: string }, form: string) => {
          context.body = form;
        },
      },
    },
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }],
    },
    // Without the dispatcher, which refuses local addresses.
    fetch: (
      url: string,
      { dispatcher: _dispatcher, ...options }: RequestInit & { dispatcher?: unknown },
    ) => fetch(url, options),
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
}
