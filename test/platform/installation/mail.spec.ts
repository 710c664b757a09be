import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { CheckedSubject } from '../../../src/common/ports/installation-checks.js';
import { JOB_SCHEMA } from '../../../src/database/job-schema.js';
import { JobQueue } from '../../../src/database/jobs/job-queue.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { MailService } from '../../../src/platform/installation/mail/mail.service.js';
import { MAIL_JOBS } from '../../../src/platform/installation/mail/mail.service.js';
import { MailSettings } from '../../../src/platform/installation/mail/mail.settings.js';
import { loadConfig } from '../../../src/settings.js';
import { itLong } from '../../support/long.js';
import { startMailServer, type TestMailServer } from '../../support/mail-server.js';
import { runCommand } from '../../support/run-command.js';
import { sharedService } from '../../support/shared-service.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { urlOfDatabase } from '../../support/test-database.js';
import { found, until } from '../../support/until.js';

const FROM = 'Gatefold <gatefold@example.org>';
const LOGIN = { user: 'gate@fold', password: 'a p%ss:word/' };

let server: TestMailServer;
let app: TestApp;
beforeAll(async () => {
  server = await startMailServer(LOGIN);
  app = await startApp({ GATEFOLD_SMTP_URL: server.url, GATEFOLD_MAIL_FROM: FROM });
});
afterAll(async () => {
  await app?.stop();
  await server?.stop();
});

const jobs = () => app.inside(JobQueue);

async function mailFindings(): Promise<CheckedSubject['findings']> {
  const answer = await app.asAdmin().get('/ocs/v2.php/apps/gatefold/api/v1/checks?format=json');
  const { ocs } = answer.json as { ocs: { data: CheckedSubject[] } };
  return ocs.data.find(({ subject }) => subject === 'Mail')?.findings ?? [];
}

describe('a mail', () => {
  it('arrives as text and HTML, from the configured sender', async () => {
    const text = 'Grüße, Ada\n\nhttps://example.org/#a=b';

    await app.inside(MailService).send({ to: 'ada@example.org', subject: 'Grüße & Küsse', text });

    const mail = await server.mailTo('ada@example.org');
    expect(mail).toMatchObject({ from: 'gatefold@example.org', subject: 'Grüße & Küsse' });
    expect(mail.text.trim()).toBe(text);
    expect(mail.html).toContain('<a href="https://example.org/#a=b">');
  });

  it('goes to one address, no matter which signs it has', async () => {
    const to = 'eve,mallory@example.org';

    await app.inside(MailService).send({ to, subject: 'For one', text: 'Hello' });

    const mail = await found('the mail for one', () =>
      server.mails.find(({ subject }) => subject === 'For one'),
    );
    expect(mail.to).toHaveLength(1);
  });

  it('cannot have headers of its subject', async () => {
    await app
      .inside(MailService)
      .send({ to: 'bob@example.org', subject: 'a\r\nBcc: eve@example.org', text: 'Hello' });

    const { to, subject } = await server.mailTo('bob@example.org');
    expect([to, subject]).toEqual([['bob@example.org'], 'a Bcc: eve@example.org']);
  });

  it('that is refused for good becomes a dead letter, which tells nothing of it', async () => {
    server.refusals.push([550, 'no such user']);
    await app
      .inside(MailService)
      .send({ to: 'gone@example.org', subject: 'Secret subject', text: 'secret words' });

    const letter = await found(
      'a dead letter',
      async () => (await jobs().deadLetters(MAIL_JOBS))[0],
    );
    expect(letter.error).toContain('no such user');
    expect(JSON.stringify(letter)).not.toMatch(/secret/i);
    expect(server.refused).toEqual(['gone@example.org']);
  });

  it('that cannot be taken now is tried again', async () => {
    const waiting = async () =>
      (await jobs().overview()).find(({ kind }) => kind === MAIL_JOBS.name)?.retrying ?? 0;
    server.refusals.push([451, 'come back later']);
    await app.inside(MailService).send({ to: 'busy@example.org', subject: 'Later', text: 'Hello' });

    await until('a retry', async () => (await waiting()) === 1);
    await app.database.query(
      `update ${JOB_SCHEMA}.job set start_after = now() where name = '${MAIL_JOBS.name}' and state = 'retry'`,
    );
    await jobs().poll();

    expect((await server.mailTo('busy@example.org')).subject).toBe('Later');
  });

  it('that waits is dropped with the account of its recipient, and no other', async () => {
    await app.signInOnce('zoe');
    await app.signInOnce('zoe2');
    server.refusals.push([451, 'later'], [451, 'later']);
    for (const userId of ['zoe', 'zoe2']) {
      const to = `${userId}@example.org`;
      await app.inside(MailService).send({ to, subject: 'Later', text: 'Hello', userId });
    }
    const keys = async () =>
      (
        await app.database.query<{ key: string }>(
          `select singleton_key as key from ${JOB_SCHEMA}.job where name = '${MAIL_JOBS.name}' and state = 'retry' order by 1`,
        )
      ).map(({ key }) => key);
    await until('two retries', async () => (await keys()).length === 2);

    await app.inside(UsersService).delete('zoe');

    expect(await keys()).toEqual(['user/zoe2/']);
  });
});

describe('the check of the mail server', () => {
  it('logs in there', async () => {
    expect(await mailFindings()).toEqual([
      {
        state: 'ok',
        text: expect.stringMatching(/127\.0\.0\.1:\d+ answers, and accepts the pass/),
      },
      expect.objectContaining({ state: 'warning', text: expect.stringContaining(app.url) }),
    ]);
  });

  itLong('says what the server answers, and not the password', async () => {
    const [row] = await app.database.query<{ name: string }>('select current_database() as name');
    const { output } = await runCommand(['doctor'], {
      DATABASE_URL: urlOfDatabase(row?.name ?? ''),
      GATEFOLD_SMTP_URL: server.url.replace(/:[^:@]*@/, ':wrong-one@'),
      GATEFOLD_MAIL_FROM: FROM,
      GATEFOLD_PORT: new URL(app.url).port,
    });

    expect(output.toString()).toMatch(/ERROR +The mail server \S+ does not accept.*wrong password/);
    expect(output.toString()).not.toContain('wrong-one');
  });

  it('sends a mail where it is told to', async () => {
    const [row] = await app.database.query<{ name: string }>('select current_database() as name');
    const { output } = await runCommand(['doctor', '--mail-to', 'ops@example.org'], {
      DATABASE_URL: urlOfDatabase(row?.name ?? ''),
      GATEFOLD_SMTP_URL: server.url,
      GATEFOLD_MAIL_FROM: FROM,
      GATEFOLD_BASE_URL: 'https://feeds.example.org',
      GATEFOLD_PORT: new URL(app.url).port,
    });

    expect(output.toString()).toMatch(/ok +The server took a mail for ops@example\.org: 250/);
    expect((await server.mailTo('ops@example.org')).text).toContain('https://feeds.example.org');
  });

  itLong('gives up on a server that does not answer', async () => {
    const silent: Server = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const [row] = await app.database.query<{ name: string }>('select current_database() as name');
    const { output } = await runCommand(['doctor'], {
      DATABASE_URL: urlOfDatabase(row?.name ?? ''),
      GATEFOLD_SMTP_URL: `smtp://127.0.0.1:${port}`,
      GATEFOLD_MAIL_FROM: FROM,
    });
    silent.close();

    expect(output.toString()).toMatch(/ERROR +The mail server \S+ does not accept.*Greeting/);
  });
});

describe('the settings of mail', () => {
  const faultsOf = (settings: Record<string, string>) => {
    try {
      loadConfig(settings);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('need each other', () => {
    expect(faultsOf({ GATEFOLD_SMTP_URL: 'smtp://a' })).toContain('needs GATEFOLD_MAIL_FROM');
    expect(faultsOf({ GATEFOLD_MAIL_FROM: 'a@b' })).toContain('needs GATEFOLD_SMTP_URL');
  });

  it.each([
    ['http://mail.example.org'],
    ['smtp://mail.example.org/path'],
    ['smtp://mail.example.org?tls=off'],
    ['smtp://ada:sec%ret@mail.example.org'],
    ['mail.example.org'],
  ])('refuse %s, without showing it', (url) => {
    const faults = faultsOf({ GATEFOLD_SMTP_URL: url, GATEFOLD_MAIL_FROM: FROM });

    expect(faults).toContain('GATEFOLD_SMTP_URL must');
    expect(faults).not.toContain('mail.example.org/path');
    expect(faults).not.toContain('sec%ret');
  });

  it.each([['nobody'], ['a@b\r\nBcc: c@d'], ['<a@b>'], ['A <a b@c>']])(
    'refuse the sender %j',
    (from) => {
      expect(faultsOf({ GATEFOLD_SMTP_URL: 'smtp://a', GATEFOLD_MAIL_FROM: from })).toContain(
        'GATEFOLD_MAIL_FROM must',
      );
    },
  );

  it('have the usual ports, and a password that is decoded', () => {
    const mailOf = (url: string) =>
      loadConfig({ GATEFOLD_SMTP_URL: url, GATEFOLD_MAIL_FROM: FROM }).of(MailSettings).server;

    expect(mailOf('smtp://a')).toMatchObject({ port: 587, usesTls: false, login: undefined });
    expect(mailOf('smtps://u%40b:p%3A@a')).toMatchObject({
      port: 465,
      usesTls: true,
      login: { user: 'u@b', password: 'p:' },
    });
    expect(mailOf('smtp://[::1]:2525')).toMatchObject({ host: '::1', port: 2525 });
  });
});

it('without a mail server, no mail can be sent', async () => {
  const { app: plain } = await sharedService();

  expect(plain.inside(MailService).isConfigured).toBe(false);
  await expect(
    plain.inside(MailService).send({ to: 'a@b', subject: 'a', text: 'b' }),
  ).rejects.toThrow('No mail server is configured');
});
