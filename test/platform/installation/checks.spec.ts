import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Clock } from '../../../src/common/clock.js';
import {
  InstallationChecks,
  type CheckedSubject,
} from '../../../src/common/ports/installation-checks.js';
import { itLong } from '../../support/long.js';
import { runCommand } from '../../support/run-command.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { urlOfDatabase } from '../../support/test-database.js';

const CHECKS = '/ocs/v2.php/apps/gatefold/api/v1/checks?format=json';

let app: TestApp;
let dataDir: string;
let url: string;
let port: string;
beforeAll(async () => {
  dataDir = await temporaryFolder('doctor');
  app = await startApp({ GATEFOLD_DATA_DIR: dataDir });
  const [row] = await app.database.query<{ name: string }>('select current_database() as name');
  url = urlOfDatabase(row?.name ?? '');
  ({ port } = new URL(app.url));
});
afterAll(() => app.stop());

async function examined(language = 'en'): Promise<Map<string, CheckedSubject['findings']>> {
  const answer = await app
    .asAdmin()
    .call('GET', CHECKS, { headers: { 'accept-language': language } });
  const { ocs } = answer.json as { ocs: { data: CheckedSubject[] } };
  return new Map(ocs.data.map(({ subject, findings }) => [subject, findings]));
}

const doctor = (settings: Record<string, string> = {}, ...options: string[]) =>
  runCommand(['doctor', ...options], {
    DATABASE_URL: url,
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_PORT: port,
    ...settings,
  });

it('tells administrators the state of each part, and nobody else', async () => {
  const subjects = await examined();

  expect([...subjects.keys()]).toEqual(
    expect.arrayContaining([
      'Disk',
      'Database',
      'Clock',
      'Jobs',
      'Secrets',
      'Feeds',
      'External apps',
    ]),
  );
  expect(subjects.get('Database servers')).toEqual([
    { state: 'off', text: 'All tables are on one server.' },
  ]);
  expect((await examined('fr')).get('Database servers')).toEqual([
    { state: 'off', text: 'Toutes les tables sont sur un seul serveur.' },
  ]);
  expect(subjects.get('Database')).toEqual(
    expect.arrayContaining([
      { state: 'ok', text: expect.stringMatching(/^The schema is that of this version/) },
    ]),
  );
  expect((await (await app.signIn()).get(CHECKS)).status).toBe(403);
  expect((await app.asStranger().get(CHECKS)).status).toBe(401);
});

it('finds feeds that are late, jobs that failed, and a clock that is off', async () => {
  const user = await app.signIn();
  await app.database.query(
    `insert into source (url, url_key) values ('http://127.0.0.1:9/late', 'late')`,
  );
  await app.database.query(
    `insert into source_schedule (source_id, host_key, due_at)
     select id, 'h', now() - interval '3 hours' from source where url_key = 'late'`,
  );
  await app.database.query(`insert into reader (user_id) values ($1) on conflict do nothing`, [
    user.credentials.userId,
  ]);
  await app.database.query(
    `insert into subscription (reader_id, source_id, url)
     select reader.id, source.id, 'late' from reader, source where url_key = 'late' limit 1`,
  );
  const now = app.inside(Clock).now;
  app.inside(Clock).now = () => new Date(Date.now() - 600_000);

  const subjects = await examined();
  app.inside(Clock).now = now;

  expect(subjects.get('Feeds')?.[0]).toMatchObject({
    state: 'error',
    text: '1 feed is due, the oldest for 180 minutes.',
  });
  expect(subjects.get('Clock')).toContainEqual({
    state: 'error',
    text: expect.stringMatching(/differ by (599|600)\.\d s/),
    advice: 'Set both clocks by NTP.',
  });
  await app.database.query('delete from subscription');
});

it('finds what the secret key does not open, and key files that others can read', async () => {
  await app.database.query(
    `insert into ex_app (app_id, name, version, base_url, secret_sealed, enabled)
     values ('lost', 'Lost', '1.0.0', 'http://127.0.0.1:9', '\\x00', false)`,
  );

  expect((await examined()).get('Secrets')).toContainEqual({
    state: 'error',
    text: 'It does not open 1 secrets of external apps.',
    advice: expect.stringContaining('secrets:reset'),
  });
  await app.database.query(`delete from ex_app where app_id = 'lost'`);

  await writeFile(path.join(dataDir, 'secret.key'), 'a key that others can read, quite long');
  await chmod(path.join(dataDir, 'secret.key'), 0o644);
  const found = await doctor({ GATEFOLD_SECRET_KEY: '' });
  expect(found.output.toString()).toMatch(/Other users of this machine can read .*\n.*chmod 600/);
  expect(found.output.toString()).toContain('is not that of the database');
  await chmod(dataDir, 0o755);
  const open = (await doctor({ GATEFOLD_SECRET_KEY: '' })).output.toString();
  expect(open).toMatch(/Other users of this machine can read .*\n.*chmod go-rw/);
  await chmod(dataDir, 0o700);
  expect(found.code).toBe(2);
  await rm(path.join(dataDir, 'secret.key'));
});

itLong('runs beside the service from the command line', async () => {
  const found = await doctor();
  expect(found.complaints).toBe('');
  expect(found.output.toString()).toContain(`The service at http://127.0.0.1:${port} is ready.`);

  const { state, subjects } = JSON.parse((await doctor({}, '--json')).output.toString()) as {
    state: string;
    subjects: CheckedSubject[];
  };
  // The server of the tests may lose data in a power failure, which is an error elsewhere.
  expect(found.code).toBe(state === 'ok' ? 0 : 2);
  expect(
    subjects
      .filter(({ findings }) => !findings.every((one) => ['ok', 'off'].includes(one.state)))
      .map(({ subject }) => subject),
  ).toEqual(state === 'ok' ? [] : ['Database']);
});

it('names each server of others that refuses, and nothing stands between its lines', async () => {
  const nowhere = '127.0.0.1:9';
  const refusing = {
    GATEFOLD_LDAP_URL: `ldap://${nowhere}`,
    GATEFOLD_LDAP_USER_BASE: 'ou=people,dc=example,dc=org',
    GATEFOLD_OIDC_ISSUER: `http://${nowhere}`,
    GATEFOLD_OIDC_CLIENT_ID: 'gatefold',
    GATEFOLD_OUTGOING_PROXY: `http://name:hidden-word@${nowhere}`,
    GATEFOLD_SMTP_URL: `smtp://${nowhere}`,
    GATEFOLD_MAIL_FROM: 'gatefold@example.org',
    GATEFOLD_FILES_STORE: `s3://bucket/?endpoint=http://${nowhere}&path-style=true`,
    GATEFOLD_S3_ACCESS_KEY_ID: 'id',
    GATEFOLD_S3_SECRET_ACCESS_KEY: 'hidden-word',
  };

  const { complaints, output } = await doctor(refusing, '--json');

  const { subjects } = JSON.parse(output.toString()) as { subjects: CheckedSubject[] };
  const refused = new Map(
    subjects.map(({ subject, findings }) => [
      subject,
      findings.filter(({ state }) => state === 'error').map(({ text }) => text),
    ]),
  );
  expect(Object.fromEntries(refused)).toMatchObject({
    Directory: [expect.stringContaining(nowhere)],
    Files: [expect.stringMatching(/^s3:.* cannot be used: .*ECONNREFUSED/)],
    Mail: [expect.stringContaining(nowhere)],
    'OpenID Connect': [expect.stringMatching(/:9 cannot be used: .*refused the connection/)],
    'Outgoing proxy': [expect.stringMatching(/:9 cannot be used: .*refused the connection/)],
  });
  expect(output.toString()).not.toContain('hidden-word');
  expect(complaints).toBe('');
});

it('finds a proxy that wants another password', async () => {
  const proxy = http.createServer((_request, response) => response.writeHead(407).end());
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port: proxyPort } = proxy.address() as AddressInfo;

  const { output } = await doctor({ GATEFOLD_OUTGOING_PROXY: `http://127.0.0.1:${proxyPort}` });
  proxy.close();

  expect(output.toString()).toMatch(/Outgoing proxy\n {2}ERROR .* requires a user name/);
});

it('does not take a folder of files without its marker for the right one', async () => {
  const marker = path.join(dataDir, 'files/.gatefold-files');
  const id = await readFile(marker);
  await rm(marker);

  const files = (await examined()).get('Files');
  const beside = await doctor();
  await writeFile(marker, id);

  expect(files).toEqual([
    {
      state: 'error',
      text: expect.stringContaining('is not the folder with the contents of files'),
      advice: expect.stringContaining('Mount'),
    },
  ]);
  expect(beside.output.toString()).toMatch(/Files\n {2}ERROR /);
  expect((await examined()).get('Files')).toMatchObject([{ state: 'ok' }]);
});

it('says what cannot be known without a database, and creates nothing', async () => {
  const before = await readdir(dataDir);

  const away = await doctor({ DATABASE_URL: 'postgresql://x@127.0.0.1:9/x', GATEFOLD_PORT: '9' });
  expect(away.code).toBe(2);
  expect(away.output.toString()).toMatch(
    /No service answers.*ERROR.*database cannot be used.*cannot be examined/s,
  );
  expect(away.output.toString()).toMatch(/The disk of .* has .* free/);

  const stopped = await doctor({ DATABASE_URL: '', GATEFOLD_PORT: '9' });
  expect([stopped.code, stopped.complaints]).toEqual([1, '']);
  expect(stopped.output.toString()).toContain('The embedded database is not running');

  const typo = await doctor({ GATEFOLD_FETCHS: '3' });
  expect(typo.code).toBe(2);
  expect(typo.output.toString()).toContain('GATEFOLD_FETCHS is not a setting');
  expect(await readdir(dataDir)).toEqual(before);
});

it('tells the state of the schema without changing it', async () => {
  const status = () =>
    runCommand(['database:status'], { DATABASE_URL: url, GATEFOLD_DATA_DIR: dataDir });
  expect(await status()).toMatchObject({ code: 0 });

  const [last] = await app.database.query<{ name: string; at: string }>(
    'delete from migration where id = (select max(id) from migration) returning name',
  );
  await app.database.query(`insert into migration (name) values ('9999-future')`);
  const changed = await status();
  expect(changed.code).toBe(1);
  expect(changed.output.toString()).toContain(
    `Pending, applied by the next start:\n  ${last?.name}`,
  );
  expect(changed.output.toString()).toContain('9999-future');
  expect((await doctor()).output.toString()).toContain('of a newer version of Gatefold');

  await app.database.query(`delete from migration where name = '9999-future'`);
  await app.database.query('insert into migration (name) values ($1)', [last?.name]);
});

it('counts a check that fails as an error, and goes on with the others', async () => {
  const checks = new InstallationChecks();
  checks.add('One', () => Promise.reject(new Error('no way')));
  checks.add('Two', async () => [{ state: 'ok', text: 'Fine.' }]);

  expect(await checks.run()).toEqual([
    { subject: 'One', findings: [{ state: 'error', text: 'The check failed: no way' }] },
    { subject: 'Two', findings: [{ state: 'ok', text: 'Fine.' }] },
  ]);
});
