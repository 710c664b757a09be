import { expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import { ConsentsService } from '../../../src/app-api/consent/consents.service.js';
import { AccountQuotas } from '../../../src/platform/accounts/users/account-quotas.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { MailService } from '../../../src/platform/installation/mail/mail.service.js';
import { PasswordLinksRepository } from '../../../src/platform/sign-in/password-links/password-links.repository.js';
import { SecondFactorsService } from '../../../src/platform/sign-in/second-factor/second-factors.service.js';
import { ApiClient } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { Chatter, type Room } from '../../support/chatter.js';
import { DavClient } from '../../support/dav-client.js';
import { knowApp, startExternalApp } from '../../support/external-app.js';
import { rss } from '../../support/feed-server.js';
import { NewsClient } from '../../support/news-client.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';

/** A unique text. */
const ZOE = 'zoe-who-leaves';

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_RATE_LIMITS: 'on',
  // Nobody listens there: the mail waits.
  GATEFOLD_SMTP_URL: 'smtp://127.0.0.1:9',
  GATEFOLD_MAIL_FROM: 'gatefold@example.org',
});

/** Tables with a row that contains the text. */
async function tablesThatKnow(text: string): Promise<string[]> {
  const tables = await app.database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') order by name`,
  );
  const known: string[] = [];
  for (const { name } of tables) {
    const rows = await app.database.query(
      `select 1 from ${name} t where strpos(t::text, $1) > 0 limit 1`,
      [text],
    );
    if (rows.length > 0) {
      known.push(name);
    }
  }
  return known;
}

it('Of a deleted account only the audit log remains, where it is marked as deleted.', async () => {
  const zoe = await app.signInOnce(ZOE);
  const bob = new Chatter(await app.signInOnce('bob'));
  await new Browser(app.url).login(zoe.credentials);
  await new ApiClient(app.url, { userId: ZOE, password: 'wrong' }).get('/ocs/v2.php/cloud/user');
  await zoe.post('/ocs/v2.php/core/apppasswords', { name: `phone of ${ZOE}` });
  const picture = '89504e470d0a1a0a0000000d494844520000000100000001';
  await zoe.call('PUT', '/avatar', { body: Buffer.from(picture, 'hex') });
  await zoe.call('PATCH', '/ocs/v2.php/apps/gatefold/api/v1/preferences/pages', {
    json: { values: { theme: 'dark' } },
  });
  await app.inside(UsersService).changeEmail(ZOE, `${ZOE}@example.org`);
  await app.inside(MailService).send({
    to: `${ZOE}@example.org`,
    subject: `Hello ${ZOE}`,
    text: 'Hello',
    userId: ZOE,
  });
  const recipient = { userId: ZOE, email: `${ZOE}@example.org` };
  await app.inside(PasswordLinksRepository).put({
    ...recipient,
    purpose: 'invitation',
    tokenHash: Buffer.from('hash'),
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  await app.database.query('insert into ldap_account (user_id, entry_id) values ($1, $2)', [
    ZOE,
    `entry of ${ZOE}`,
  ]);
  await app.inside(AccountQuotas).change(ZOE, '5 GB');
  const files = new DavClient(zoe);
  await files.put('/diary.txt', 'today');
  await files.call('LOCK', '/diary.txt', {
    body: `<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><owner>${ZOE}</owner></lockinfo>`,
  });
  publisher.publish('/tides.xml', rss({ title: 'Tides', link: publisher.url('/'), items: [] }));
  const news = new NewsClient(zoe, 'v1-3');
  await news.subscribe(publisher.url('/tides.xml'));
  await news.label([], { add: [`labels of ${ZOE}`] });
  const clipper = await startExternalApp(app, { appId: 'clipper' });
  await knowApp(app, clipper);
  await app.inside(ConsentsService).decide('clipper', ZOE, 'granted');
  await clipper.as().ocs('POST', '/api/v1/events_listener', {
    json: { eventType: 'node_event', actionHandler: '/on-event' },
  });
  await files.put('/letter.txt', 'tomorrow');
  await news.post('/items', { guid: `diary of ${ZOE}`, title: 'Today' });
  const chat = new Chatter(zoe);
  const group = await chat.group('Of all', 'bob');
  await chat.say(group, 'hello @bob');
  await bob.say(group, `hello @${ZOE}`);
  await chat.data<Room>('POST', 'v4/room', { roomType: 1, invite: 'bob' });
  const factors = app.inside(SecondFactorsService);
  const { secret } = await factors.beginTotp(ZOE);
  await factors.confirmTotp(ZOE, new TOTP({ secret }).generate());
  expect(await tablesThatKnow(ZOE)).toEqual(
    expect.arrayContaining([
      'job.job',
      'public.account',
      'public.app_consent',
      'public.app_password',
      'public.avatar',
      'public.chat_message',
      'public.conversation',
      'public.file_lock',
      'public.file_node',
      'public.file_quota',
      'public.label',
      'public.ldap_account',
      'public.login_session',
      'public.login_throttle',
      'public.notification',
      'public.password_link',
      'public.reader',
      'public.recovery_code',
      'public.source',
      'public.totp_factor',
      'public.user_preference',
    ]),
  );

  await clipper.close();
  await app.inside(UsersService).delete(ZOE);

  expect(await tablesThatKnow(ZOE)).toEqual(['public.security_event']);
  expect(
    await app.database.query(
      `select id from security_event
        where user_id = $1 and user_deleted_at is null or actor_id = $1 and actor_deleted_at is null`,
      [ZOE],
    ),
  ).toEqual([]);
});
