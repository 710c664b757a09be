import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { trustAuthorities, type Authorities } from '../../../src/common/config/authorities.js';
import { Config } from '../../../src/common/config/config.js';
import { InstallationChecks } from '../../../src/common/ports/installation-checks.js';
import { MailServer } from '../../../src/platform/installation/mail/mail-server.service.js';
import {
  directoryIsThere,
  PEOPLE,
  SERVICE,
  startDirectory,
  type TestDirectory,
} from '../../support/a-directory.js';
import { ApiClient } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { DavClient } from '../../support/dav-client.js';
import { CLIENT, startIdentityProvider } from '../../support/identity-provider.js';
import { startMailServer } from '../../support/mail-server.js';
import { NewsClient, ok } from '../../support/news-client.js';
import { startNoticeReceiver } from '../../support/notice-receiver.js';
import { AUTHORITY, SERVER } from '../../support/private-authority.js';
import { SELF_SIGNED } from '../../support/self-signed.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/*
 * Servers of an organisation, each with TLS and a certificate that only `GATEFOLD_CA_FILE` makes trusted: identity
 * provider, directory, mail server, object store, webhook.
 */

/** A bucket of an object store, as far as the service uses its protocol. */
async function startStore() {
  const objects = new Map<string, Buffer>();
  const server = https.createServer(SERVER, (request, response) => {
    const { method, url = '' } = request;
    const [key = ''] = url.split('?');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (method === 'PUT') {
        objects.set(key, Buffer.concat(chunks));
      }
      const found = objects.get(key);
      if (found === undefined) {
        response.writeHead(404, { 'content-type': 'application/xml' });
        response.end('<Error><Code>NoSuchKey</Code></Error>');
      } else {
        response.writeHead(200, { etag: '"1"' }).end(method === 'GET' ? found : undefined);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = encodeURIComponent(
    `https://localhost:${(server.address() as AddressInfo).port}`,
  );
  return {
    objects,
    settings: {
      GATEFOLD_FILES_STORE: `s3://bucket/files?endpoint=${endpoint}&region=default&path-style=true`,
      GATEFOLD_S3_ACCESS_KEY_ID: 'key of the tests',
      GATEFOLD_S3_SECRET_ACCESS_KEY: 'secret of the tests',
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const hasDirectory = directoryIsThere();
const [store, mails, provider, receiver] = await Promise.all([
  startStore(),
  startMailServer(undefined, true),
  startIdentityProvider(true),
  startNoticeReceiver(true),
]);
let directory: TestDirectory | undefined;
let app: TestApp;
beforeAll(async () => {
  directory = hasDirectory ? await startDirectory() : undefined;
  const bundle = path.join(await temporaryFolder('authorities'), 'authorities.pem');
  const ofDirectory = directory === undefined ? '' : await readFile(directory.caFile, 'utf8');
  await writeFile(bundle, [AUTHORITY, SELF_SIGNED.cert, ofDirectory].join('\n'));
  app = await startApp({
    ...store.settings,
    GATEFOLD_CA_FILE: bundle,
    GATEFOLD_SMTP_URL: mails.url,
    GATEFOLD_MAIL_FROM: 'gatefold@example.org',
    GATEFOLD_OIDC_ISSUER: provider.issuer,
    GATEFOLD_OIDC_CLIENT_ID: CLIENT.id,
    GATEFOLD_OIDC_CLIENT_SECRET: CLIENT.secret,
    ...(directory && {
      GATEFOLD_LDAP_URL: directory.tlsUrl,
      GATEFOLD_LDAP_BIND_DN: SERVICE.dn,
      GATEFOLD_LDAP_BIND_PASSWORD: SERVICE.password,
      GATEFOLD_LDAP_USER_BASE: PEOPLE,
    }),
  });
  provider.accept(app.url);
});
afterAll(async () => {
  await app?.stop();
  store.close();
  await Promise.all([mails.stop(), provider.stop(), receiver.close(), directory?.stop()]);
});

/** What the doctor says of these servers. */
const findings = async () => {
  const subjects = await app.inside(InstallationChecks).run();
  return ['Directory', 'Files', 'Mail', 'OpenID Connect'].flatMap((name) =>
    (subjects.find(({ subject }) => subject === name)?.findings ?? [])
      .filter(({ text }) => /answer|used|accept/.test(text))
      .map(({ state, advice = '' }) => [name, state, advice.includes('GATEFOLD_CA_FILE')]),
  );
};

const NAMES = [...(hasDirectory ? ['Directory'] : []), 'Files', 'Mail', 'OpenID Connect'];

it('the doctor names the setting while the authority is unknown, and finds nothing wrong with it', async () => {
  // As without the setting; other specs of this process may have had it as well.
  tls.setDefaultCACertificates(tls.getCACertificates('bundled'));
  expect(await findings()).toEqual(NAMES.map((name) => [name, 'error', true]));

  const { caFile } = app.inside(Config);
  expect(caFile).toBeDefined();
  trustAuthorities(caFile as Authorities);
  await directory?.addPerson({ uid: 'bob', password: 'of the directory' });
  expect(await findings()).toEqual(NAMES.map((name) => [name, 'ok', false]));
});

describe('a private authority is trusted', () => {
  it('by logins with an identity provider', async () => {
    provider.people.set('id-1', { preferred_username: 'ada', name: 'Ada' });
    const browser = new Browser(app.url);
    const begun = await browser.get('/login/oidc', { query: { redirect_url: '' } });
    const back = await provider.login(begun.headers.location ?? '', 'id-1');
    const done = await browser.get(back.slice(app.url.length));

    expect([done.status, (await browser.get('/ocs/v2.php/cloud/user?format=json')).status]).toEqual(
      [303, 200],
    );
  });

  it('by mails', async () => {
    await app.inside(MailServer).deliver({ to: 'eve@example.org', subject: 'Tides', text: 'low' });

    expect(await mails.mailTo('eve@example.org')).toMatchObject({ subject: 'Tides' });
  });

  it('by files in an object store', async () => {
    const files = new DavClient(await app.signIn());
    await files.put('/tide.txt', 'low at six');

    expect((await files.call('GET', '/tide.txt')).text).toBe('low at six');
    expect([...store.objects.values()].map(String)).toContain('low at six');
  });

  it('by webhooks', async () => {
    const news = new NewsClient(await app.signIn(), 'v1-3');
    const channel = { kind: 'webhook', form: 'standard', address: receiver.url('/hook') };
    const { channels } = await ok<{ channels: { id: number }[] }>(news.post('/channels', channel));
    await ok(news.post(`/channels/${channels[0]?.id}/test`));

    expect((await receiver.next(0)).path).toBe('/hook');
  });
});

(hasDirectory ? describe : describe.skip)('a private authority of a directory', () => {
  it('is trusted by logins', async () => {
    const bob = new ApiClient(app.url, { userId: 'bob', password: 'of the directory' });

    expect((await bob.get('/ocs/v2.php/cloud/user?format=json')).status).toBe(200);
  });
});
