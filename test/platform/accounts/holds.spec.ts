import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { Clock } from '../../../src/common/clock.js';
import { DAY_SECONDS } from '../../../src/common/units.js';
import { UpdateCycle } from '../../../src/news/updater/update-cycle.service.js';
import { AccountDeletions } from '../../../src/platform/accounts/users/account-deletions.task.js';
import { HoldsService } from '../../../src/platform/accounts/users/holds.service.js';
import { registerUserCommands } from '../../../src/platform/accounts/users/users.commands.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { TrashSweep } from '../../../src/platform/files/trash/trash-sweep.task.js';
import { OldNotifications } from '../../../src/platform/notifications/old-notifications.task.js';
import { LeavingService } from '../../../src/platform/sign-in/leaving/leaving.service.js';
import { ArchiveWork } from '../../../src/platform/transfer/archive-work.service.js';
import { DavClient } from '../../support/dav-client.js';
import { toOcs } from '../../support/external-app.js';
import { rss } from '../../support/feed-server.js';
import { NewsClient, ok, titles } from '../../support/news-client.js';
import { printedBy } from '../../support/printed-by.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';
import type { TestUser } from '../../support/start-app.js';
import { TrashClient } from '../../support/trash-client.js';

/* An administrator holds an account: nothing of it is removed until a day, or until the hold is ended. */

const TOKEN = 'a token of the provisioning service';
const SENTENCE = /^An administrator holds the account of ".+": nothing of it is removed until/;
const json = { query: { format: 'json' }, headers: { 'ocs-apirequest': 'true' } };

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_KEEP_READ_ITEMS: '1',
  GATEFOLD_SCIM_TOKEN: TOKEN,
});
const clock = app.inside(Clock);
let user: TestUser;
let userId: string;

beforeEach(async () => {
  user = await app.signIn();
  ({ userId } = user.credentials);
});
afterEach(() => {
  clock.now = () => new Date();
});

const gatefold = async (...args: string[]) => {
  const program = new Command().exitOverride();
  registerUserCommands(program, (work) => work((token) => app.inside(token)));
  return printedBy(program, args);
};
const hold = (...end: string[]) => gatefold('user:hold', userId, ...end);
const exists = async (id = userId) => (await app.inside(UsersService).allUserIds()).includes(id);
const shownTo = async (who = app.asAdmin()) =>
  toOcs(await who.get(`/ocs/v2.php/cloud/users/${userId}`, json)).data;
const askToLeave = (who = user) => who.call('POST', '/ocs/v2.php/core/leaving', json);
const dayIn = (days: number) =>
  new Date(Date.now() + days * DAY_SECONDS * 1000).toISOString().slice(0, 10);
const letDaysPass = (days: number) => {
  const then = Date.now() + days * DAY_SECONDS * 1000;
  clock.now = () => new Date(then);
};
const audit = () =>
  app.database.query(
    `select kind, details from security_event where user_id = $1 and kind like 'hold_%' order by id`,
    [userId],
  );

describe('a hold', () => {
  it('is shown to administrators, in the list of users and in the audit log, until it is ended', async () => {
    expect(await shownTo()).toMatchObject({ heldSeconds: null, heldUntilSeconds: null });
    const end = dayIn(40);

    expect(await hold()).toBe(
      `Nothing of the account of "${userId}" is removed until the hold is ended.\n`,
    );
    expect(await gatefold('user:list')).toMatch(new RegExp(`${userId} .* held `));
    await hold('--until', end);

    expect(await shownTo()).toMatchObject({
      heldSeconds: expect.any(Number),
      heldUntilSeconds: Date.parse(end) / 1000,
    });
    expect(await gatefold('user:list')).toContain(`held until ${end}`);
    await hold('--until', 'off');
    await hold('--until', 'off');
    expect(await shownTo()).toMatchObject({ heldSeconds: null, heldUntilSeconds: null });
    expect(await audit()).toEqual([
      { kind: 'hold_begun', details: 'without an end' },
      { kind: 'hold_begun', details: `until ${end}` },
      { kind: 'hold_ended', details: null },
    ]);
  });

  it('ends by itself on its day', async () => {
    await hold('--until', dayIn(40));

    letDaysPass(38);
    await app.inside(HoldsService).endDue();
    expect(await audit()).toHaveLength(1);
    letDaysPass(40);
    await app.inside(HoldsService).endDue();

    expect(await shownTo()).toMatchObject({ heldSeconds: null });
    expect(await audit()).toContainEqual({ kind: 'hold_ended', details: 'its day has come' });
  });

  it.each(['2001-01-01', 'tomorrow', '2031-02-30'])('does not end on %s', async (end) => {
    await expect(hold('--until', end)).rejects.toThrow('A hold ends on a day to come');
    expect(await audit()).toEqual([]);
  });

  it('is of an account that exists, and is not being deleted', async () => {
    await expect(gatefold('user:hold', 'nobody')).rejects.toThrow('There is no user "nobody".');
    await expect(gatefold('user:hold', 'nobody', '--until', 'off')).rejects.toThrow('no user');
    await app.inside(UsersService).requestDeletion(userId);

    await expect(hold()).rejects.toThrow('is being deleted already.');
  });

  it('is known neither to other users nor to strangers', async () => {
    await hold();
    const other = await app.signIn();

    for (const who of [other, app.asStranger()]) {
      const { status, text } = await who.get(`/ocs/v2.php/cloud/users/${userId}`, json);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain('held');
    }
  });
});

describe('an account that is held', () => {
  it('is deleted by no administrator, command or provisioning service, and goes on working', async () => {
    const scim = (method: string, path: string, body?: object) =>
      app.asStranger().call(method, `/scim/v2/Users${path}`, {
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const userName = `${userId}-by-scim`;
    const made = await scim('POST', '', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName,
    });
    await hold();
    await gatefold('user:hold', userName);

    const byPage = await app.asAdmin().call('DELETE', `/ocs/v2.php/cloud/users/${userId}`, json);
    const byScim = await scim('DELETE', `/${(made.json as { id: string }).id}`);

    expect(byPage.status).toBe(409);
    expect(toOcs(byPage).message).toMatch(SENTENCE);
    expect([byScim.status, (byScim.json as { detail: string }).detail]).toEqual([
      409,
      expect.stringMatching(SENTENCE),
    ]);
    await expect(gatefold('user:delete', userId, '--yes')).rejects.toThrow(SENTENCE);
    expect([await exists(), await exists(userName)]).toEqual([true, true]);
    expect((await user.get('/ocs/v2.php/cloud/user', json)).status).toBe(200);

    await hold('--until', 'off');
    await app.asAdmin().call('DELETE', `/ocs/v2.php/cloud/users/${userId}`, json);
    expect(await exists()).toBe(false);
  });

  it('is not left by its owner, who is told, and a deletion that was asked for before waits', async () => {
    const early = await app.signIn();
    const earlyId = early.credentials.userId;
    expect((await askToLeave(early)).status).toBe(200);
    await gatefold('user:hold', earlyId);
    await hold();

    const refused = await askToLeave();
    letDaysPass(30);
    const deleteDue = async () => {
      await app.inside(LeavingService).deleteDue();
      await app.inside(AccountDeletions).resume();
    };
    await deleteDue();

    expect([refused.status, toOcs(refused).message]).toEqual([
      409,
      expect.stringMatching(SENTENCE),
    ]);
    expect(await exists(earlyId)).toBe(true);
    const decision = { ...json, json: { delete: true, reason: '' } };
    const path = `/ocs/v2.php/apps/gatefold/api/v1/users/${earlyId}/leaving`;
    expect((await app.asAdmin().call('POST', path, decision)).status).toBe(409);
    await gatefold('user:hold', earlyId, '--until', 'off');
    await deleteDue();
    expect(await exists(earlyId)).toBe(false);
  });

  it('keeps what clean-up removes of others: read items, deleted feeds, trash, notifications, exports', async () => {
    const url = publisher.url('/sea.xml');
    const publish = (title: string) =>
      publisher.publish('/sea.xml', rss({ title: 'Sea', link: url, items: [{ title }] }));
    const [held, free] = [user, await app.signIn()];
    for (const owner of [held, free]) {
      const news = new NewsClient(owner, 'v1-3');
      publish('old');
      const sea = await news.subscribe(url);
      publish('new');
      await new NewsClient(app.asAdmin(), 'v1-3').update(owner.credentials.userId, sea.id);
      await news.change('/items/read', { newestItemId: Number.MAX_SAFE_INTEGER });
      publisher.publish('/shore.xml', rss({ title: 'Shore', link: url, items: [] }));
      const shore = await news.subscribe(publisher.url('/shore.xml'));
      await ok(news.call('DELETE', `/feeds/${shore.id}`, { query: { undoable: true } }));
      const files = new DavClient(owner);
      await files.put('/one.txt', '1');
      await files.remove('/one.txt');
      await app.database.query(
        `insert into notification (user_id, app_id, object_type, object_id, subject, message, link, created_at)
         values ($1, 'a', 'b', 'c', '{"text":"x","parameters":{}}', '{"text":"","parameters":{}}', '', '2001-01-01')`,
        [owner.credentials.userId],
      );
      await app.database.query(
        `insert into account_archive (user_id, kind, state, with_files, with_secrets, expires_at)
         values ($1, 'export', 'ready', false, false, '2001-01-01')`,
        [owner.credentials.userId],
      );
    }
    await hold();

    const cleanUp = async () => {
      await app.inside(UpdateCycle).beforeUpdate();
      await app.inside(UpdateCycle).afterUpdate({ grace: 'none' });
      letDaysPass(40);
      await app.inside(TrashSweep).sweep();
      await app.inside(OldNotifications).remove();
      await app.inside(ArchiveWork).tend();
    };
    const leftOf = async (owner: TestUser) => {
      const [counts] = await app.database.query<object>(
        `select (select count(*)::int from subscription s join reader_user r on r.reader_id = s.reader_id
                  where r.user_id = $1) as feeds,
                (select count(*)::int from notification where user_id = $1) as notifications,
                (select count(*)::int from account_archive where user_id = $1) as exports`,
        [owner.credentials.userId],
      );
      return {
        ...counts,
        items: titles(await new NewsClient(owner, 'v1-3').items()),
        trash: (await new TrashClient(owner).ids()).length,
      };
    };
    await cleanUp();

    const nothing = { feeds: 1, notifications: 0, exports: 0, items: ['new'], trash: 0 };
    expect(await leftOf(free)).toEqual(nothing);
    expect(await leftOf(held)).toEqual({
      feeds: 2,
      notifications: 1,
      exports: 1,
      items: ['new', 'old'],
      trash: 1,
    });
    await hold('--until', 'off');
    await cleanUp();
    expect(await leftOf(held)).toEqual(nothing);
  });
});
