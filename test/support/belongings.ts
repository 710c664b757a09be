import { Chatter, type ChatMessage } from './chatter.js';
import { DavClient } from './dav-client.js';
import { knowApp, startExternalApp, type ExternalApp } from './external-app.js';
import { rss, startFeedServer, type FeedServer } from './feed-server.js';
import { Groups } from './group-folders.js';
import { NewsClient, ok } from './news-client.js';
import { readerOf } from './reader-of.js';
import type { TestApp, TestUser } from './start-app.js';

/** One object of every kind that a user can have, with its address. */
export interface Belongings {
  /** The path with its placeholders replaced by ids of the user's objects. */
  fill(path: string): string;
  /** The path with the user's ids, of which `write` writes those that are numbers. */
  fillNumbers(path: string, write: (digits: string) => string): string;
  /** The same path with ids that nobody has; words such as kinds and app ids stay. */
  fillUnknown(path: string): {
    readonly path: string;
    /** A text with the ids of the user instead of those that nobody has. */
    known(text: string): string;
  };
  /** Id of a file of the user that has a preview. */
  readonly pictureId: string;
  close(): Promise<void>;
}

/** @param companion another user, who shares a conversation with the user and has written there */
export async function giveBelongings(
  app: TestApp,
  user: TestUser,
  companion: TestUser,
): Promise<Belongings> {
  const { userId } = user.credentials;
  const [publisher, external] = await Promise.all([
    startFeedServer(),
    startExternalApp(app, { appId: 'tools' }),
  ]);
  await knowApp(app, external);
  const news = await readNews(user, publisher);
  const chat = await writeToEachOther(user, companion);
  const files = new DavClient(user);
  await files.put('/tide.txt', 'low');
  await files.call('PUT', '/tide.png', { body: Buffer.from('89504e470d0a1a0a', 'hex') });
  const pictureId = String(await files.property('/tide.png', 'oc:fileid'));
  const ofTask = await haveTask(app, userId, external.appId);
  const notificationId = await beNotified(user, external);
  const notice = await beTold(app, user, publisher, Number(news.itemId));
  const shared = await shareFeeds(app, user, publisher);
  const values: Readonly<Record<string, string>> = {
    ...news,
    ...shared,
    ...notice,
    importId: await bringAFile(app, user),
    ...chat,
    userId,
    appId: external.appId,
    size: '64',
    groupId: 'admin',
    area: 'reader',
    list: 'all',
    kind: 'event',
    botId: '1',
    name: 'none',
    upload: 'none',
    piece: '1',
    entry: '1',
    taskId: '1',
    fileId: pictureId,
    callbackId: 'none',
    signature: 'none',
    iconId: '1',
    type: 'core:text2text',
    document: 'fever',
    file: 'viewer.js',
    button: 'read',
  };
  const valuesFor = (path: string): Readonly<Record<string, string>> => ({
    id: '1',
    ...values,
    ...(path.includes('/:groupFolderId/rules/') ? { ruleId: shared.groupRuleId } : {}),
    ...(/\/(?:notices|board-digests)\/:token/.test(path) ? { token: 'none' } : {}),
    ...(path.includes('/out/:token') ? { token: news.listToken } : {}),
    ...(path.includes('/notifications/') ? { id: notificationId } : {}),
    ...(path.includes('/taskprocessing/') ? { ...ofTask, id: ofTask.taskId } : {}),
  });
  return {
    pictureId,
    fill: (path) => filled(path, valuesFor(path)),
    fillNumbers: (path, write) => {
      const ids = Object.entries(valuesFor(path));
      const written = ids.map(([name, id]) => [name, /^\d+$/.test(id) ? write(id) : id]);
      return filled(path, Object.fromEntries(written) as Record<string, string>);
    },
    fillUnknown(path) {
      const values = valuesFor(path);
      const ids = Object.entries(values).filter(([name]) => !WORDS.has(name));
      const pairs = ids.map(([name, id], place) => [name, id, unknownLike(id, place)] as const);
      const unknown = Object.fromEntries(pairs.map(([name, , other]) => [name, other]));
      return {
        path: filled(path, { ...values, ...unknown }),
        known: (text) => pairs.reduce((shown, [, id, other]) => shown.replaceAll(other, id), text),
      };
    },
    async close() {
      await Promise.all([publisher.close(), external.close()]);
    },
  };
}

/** Placeholders that are no ids of somebody's objects. */
const WORDS = new Set(
  'appId size groupId area list kind name upload piece callbackId signature type document file button'.split(
    ' ',
  ),
);

function unknownLike(id: string, place: number): string {
  return /^\d{1,15}$/.test(id)
    ? String(987_654_000 + place)
    : id.replaceAll(/[a-z]/g, 'q').replaceAll(/\d/g, '7');
}

function filled(path: string, values: Readonly<Record<string, string>>): string {
  return path
    .replace(/\{\/\*\w+\}/g, '')
    .replace(/\*\w+/g, 'tide.txt')
    .replace(/:(\w+)/g, (_placeholder, name: string) => {
      const value = values[name];
      if (value === undefined) {
        throw new Error(`No value for the placeholder :${name} of ${path}; add it to belongings.`);
      }
      return encodeURIComponent(value);
    });
}

async function readNews(user: TestUser, publisher: FeedServer) {
  const client = new NewsClient(user, 'v1-3');
  const items = [{ title: 'Low tide', guid: 'tide', body: '<p>Low at six.</p>' }];
  publisher.publish('/feed.xml', rss({ title: 'Tides', items }));
  const folder = await client.createFolder('Sea');
  const feed = await client.subscribe(publisher.url('/feed.xml'), folder.id);
  const [item] = await client.items();
  await client.label([item?.id ?? 0], { add: ['Harbour'] });
  const [label] = await client.labels();
  const saved = await ok<{ searches: { id: number }[] }>(
    client.post('/searches', { name: 'Tides', query: 'tide' }),
  );
  const { rules } = await ok<{ rules: { id: number }[] }>(
    client.post('/rules', { query: 'harbour', actions: [{ type: 'star' }] }),
  );
  const { highlight } = await ok<{ highlight: { id: number } }>(
    client.post(`/items/${item?.id}/highlights`, { exact: 'Low at six' }),
  );
  const { feedOut } = await ok<{ feedOut: { id: number; address: string } }>(
    client.post('/feeds-out', { kind: 'starred' }),
  );
  return {
    folderId: String(folder.id),
    feedId: String(feed.id),
    itemId: String(item?.id),
    labelId: String(label?.id),
    searchId: String(saved.searches[0]?.id),
    ruleId: String(rules[0]?.id),
    highlightId: String(highlight.id),
    feedOutId: String(feedOut.id),
    listToken: feedOut.address.split('/').at(-1) ?? '',
    guidHash: String(item?.guidHash),
    feedUrlHash: '0'.repeat(32),
  };
}

/** A file of another reader that waits to be imported. */
async function bringAFile(app: TestApp, { credentials }: TestUser): Promise<string> {
  const { id: readerId } = await readerOf(app, credentials.userId);
  const [row] = await app.database.query<{ id: number }>(
    `insert into news_import (reader_id, format, state, preview, left_out, feeds)
     values ($1, 'pocket', 'preview', '{}', '{"reasons": [], "places": []}', '[]') returning id`,
    [readerId],
  );
  return String(row?.id);
}

/** A folder of a group, of which the user is an editor. */
async function shareFeeds(app: TestApp, user: TestUser, publisher: FeedServer) {
  const { userId } = user.credentials;
  const groups = new Groups(app);
  await groups.create('harbour');
  await groups.enter('harbour', userId);
  const folder = await groups.createFolder('harbour', 'Storms');
  await ok(groups.news.put(`/admin/group-folders/${folder}/editors`, { editors: [userId] }));
  publisher.publish('/storms.xml', rss({ title: 'Storms', items: [{ title: 'Gale' }] }));
  const feed = await groups.add(folder, publisher.url('/storms.xml'));
  await new NewsClient(user, 'v1-3').feedList();
  const board = { groupFolderId: folder, name: 'Harbour board' };
  const { id: boardId } = await ok<{ id: number }>(groups.news.post('/boards', board));
  const client = new NewsClient(user, 'v1-3');
  const item = (await client.items()).find(({ title }) => title === 'Gale');
  const { entry } = await ok<{ entry: { id: number } }>(
    client.post(`/boards/${boardId}/entries`, { itemId: item?.id, note: 'before noon' }),
  );
  const rule = { name: 'Gusts', query: 'gust', actions: [{ type: 'read' }] };
  const { id: ruleId } = await ok<{ id: number }>(
    client.post(`/group-folders/${folder}/rules`, rule),
  );
  await client.feedList();
  const { webhook } = await ok<{ webhook: { id: number } }>(
    client.post(`/boards/${boardId}/webhooks`, { form: 'slack', address: publisher.url('/hook') }),
  );
  return {
    groupFolderId: String(folder),
    groupFeedId: String(feed),
    groupRuleId: String(ruleId),
    boardId: String(boardId),
    entryId: String(entry.id),
    webhookId: String(webhook.id),
  };
}

/** A channel, and a notice by it that failed. */
async function beTold(app: TestApp, user: TestUser, publisher: FeedServer, itemId: number) {
  const client = new NewsClient(user, 'v1-3');
  const given = { kind: 'webhook', form: 'slack', address: publisher.url('/hook') };
  const { json } = await client.post('/channels', given);
  const [channel] = (json as { channels: { id: number }[] }).channels;
  const { id: readerId } = await readerOf(app, user.credentials.userId);
  const [notice] = await app.database.query<{ id: number }>(
    `insert into notice (reader_id, rule_id, rule_name, item_id, channel_id, urgent, state,
                         created_at, due_at, wake_at)
     values ($1, 1, 'Tides', $2, $3, false, 'failed', now(), now(), now()) returning id`,
    [readerId, itemId, channel?.id],
  );
  return { channelId: String(channel?.id), noticeId: String(notice?.id) };
}

async function writeToEachOther(user: TestUser, companion: TestUser) {
  const [own, other] = [new Chatter(user), new Chatter(companion)];
  const token = await own.group('Harbour', companion.credentials.userId);
  const said = await other.data<ChatMessage>('POST', `v1/chat/${token}`, { message: 'Ahoy' });
  return { token, messageId: String(said.id) };
}

async function beNotified({ credentials }: TestUser, external: ExternalApp): Promise<string> {
  const caller = external.as(credentials.userId);
  const params = { object: 'app_api', object_id: 'o', subject_type: 'x', subject_params: {} };
  await caller.ocs('POST', '/api/v1/notification', { json: { params } });
  const list = '/ocs/v2.php/apps/notifications/api/v2/notifications?format=json';
  const { json } = await caller.call('GET', list);
  const { ocs } = json as { ocs: { data: { notification_id: number }[] } };
  return String(ocs.data[0]?.notification_id);
}

/** A task that the app works on, with a file. */
async function haveTask(
  { database }: TestApp,
  userId: string,
  appId: string,
): Promise<{ readonly taskId: string; readonly fileId: string }> {
  const [ids] = await database.query<{ readonly taskId: number; readonly fileId: number }>(
    `with task as (
       insert into processing_task (type, state, user_id, consumer, input, app_id, deadline_at)
       values ('core:text2text', 'running', $1, 'notes', '{}', $2, now() + interval '1 day')
       returning id
     ), file as (
       insert into processing_task_file (task_id, name, mime, size_bytes)
       select id, 'tide.txt', 'text/plain', 3 from task returning id
     ), piece as (
       insert into processing_task_file_piece (file_id, place, bytes)
       select id, 0, 'low' from file
     )
     select task.id as "taskId", file.id as "fileId" from task, file`,
    [userId, appId],
  );
  return { taskId: String(ids?.taskId), fileId: String(ids?.fileId) };
}
