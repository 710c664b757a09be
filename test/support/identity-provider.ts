import { jest } from '@jest/globals';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { Browser } from './browser.js';

export const CLIENT = { id: 'gatefold', secret: 'a secret of the tests, long enough' };

/** An OpenID Connect provider on this machine, with people who need no password. */
export interface TestIdentityProvider {
  readonly issuer: string;
  /** What it says about people, by their id; may be changed at any time. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** Makes the service its client; before that it knows nobody. */
  accept(serviceUrl: string): void;
  /**
   * Logs in there, as a person with a browser would.
   *
   * @param address where the service sent the browser
   * @returns where the provider sends it back to
   */
  logIn(address: string, personId: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Readonly<Record<string, unknown>>>();
  return {
    issuer,
    people,
    accept(serviceUrl) {
      // That it is none for production.
      const warnings = jest.spyOn(console, 'warn').mockImplementation(() => {});
      server.on('request', providerFor(issuer, serviceUrl, people).callback());
      warnings.mockRestore();
    },
    async logIn(address, personId) {
      const browser = new Browser(issuer);
      let target = address;
      // The log-in, the consent, and the redirects between them.
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
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function providerFor(
  issuer: string,
  serviceUrl: string,
  people: Map<string, Readonly<Record<string, unknown>>>,
): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${serviceUrl}/login/oidc/callback`],
        post_logout_redirect_uris: [`${serviceUrl}/login`],
      },
    ],
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups'],
      email: ['email'],
    },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ ...people.get(id), sub: id }),
    }),
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
}
