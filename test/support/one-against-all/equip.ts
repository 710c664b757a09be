import { ApiClient, type Credentials } from '../api-client.js';
import { Chatter, type ChatMessage } from '../chatter.js';
import { DavClient } from '../dav-client.js';
import type { ExternalApp } from '../external-app.js';
import { GoogleReaderClient } from '../google-reader-client.js';
import { NewsClient } from '../news-client.js';
import type { TestUser } from '../start-app.js';
import type { Values } from './targets.js';

const FILES = 10;
const COPIES = 19;
const PROPERTY_BYTES = 60_000;
const LONG_PROPERTY = `<d:set><d:prop><x:long xmlns:x="http://attacker.example/">${'y'.repeat(PROPERTY_BYTES)}</x:long></d:prop></d:set>`;
const MESSAGES = 10;
const APP_VALUES = 10;
const VALUE_BYTES = 100_000;

export interface Surroundings {
  /** Long feeds, which the account follows. */
  readonly feedUrls: readonly string[];
  readonly app: ExternalApp;
  /** An address that does not answer. */
  readonly hangingUrl: string;
}

export interface Equipment {
  /** Ids of the account's own things, by name of placeholder. */
  readonly values: Values;
  /** For Google Reader clients. */
  readonly token: string;
}

/** Gives an account much of everything. */
export async function equip(
  origin: string,
  credentials: Credentials,
  { feedUrls, app, hangingUrl }: Surroundings,
): Promise<Equipment> {
  const { userId } = credentials;
  const user = Object.assign(new ApiClient(origin, credentials), { credentials });
  const google = await GoogleReaderClient.of(user);
  const [ofNews, fileId, ofChat] = await Promise.all([
    follow(user, feedUrls),
    keepFiles(user),
    talk(user),
    useApp(user, app),
  ]);
  return {
    token: google.token,
    values: {
      ...ofNews,
      ...ofChat,
      userId,
      fileId,
      appId: app.appId,
      size: '64',
      list: 'all',
      area: 'reader',
      groupId: 'admin',
      type: 'core:text2text',
      document: 'news-v1-3',
      path: 'many',
      other: 'public',
      url: hangingUrl,
      query: 'word',
      search: 'a',
      s: 'user/-/state/com.google/reading-list',
      format: 'json',
    },
  };
}

async function follow(user: TestUser, feedUrls: readonly string[]): Promise<Values> {
  const news = new NewsClient(user, 'v1-3');
  const folder = await news.createFolder('All');
  const feeds = [];
  for (const url of feedUrls) {
    feeds.push(await news.subscribe(url, folder.id));
  }
  const [item] = await news.items({ batchSize: 1 });
  await news.label([item?.id ?? 0], { add: ['Label'] });
  const [label] = await news.labels();
  return {
    folderId: String(folder.id),
    feedId: String(feeds[0]?.id),
    itemId: String(item?.id),
    labelId: String(label?.id),
    guidHash: String(item?.guidHash),
  };
}

/** @returns id of a picture */
async function keepFiles(user: TestUser): Promise<string> {
  const dav = new DavClient(user);
  await dav.folder('/many');
  await dav.folder('/many/0');
  for (let n = 0; n < FILES; n++) {
    await dav.put(`/many/0/${n}.txt`, 'text');
    await dav.patch(`/many/0/${n}.txt`, LONG_PROPERTY);
  }
  for (let n = 1; n <= COPIES; n++) {
    await dav.copy('/many/0', `/many/${n}`);
  }
  await dav.call('PUT', '/tide.png', { body: Buffer.from('89504e470d0a1a0a', 'hex') });
  return String(await dav.property('/tide.png', 'oc:fileid'));
}

async function talk(user: TestUser): Promise<Values> {
  const chat = new Chatter(user);
  const room = { roomType: 2, roomName: 'Attack' };
  const { token } = await chat.data<{ token: string }>('POST', 'v4/room', room);
  const message = 'z'.repeat(30_000);
  let messageId = 0;
  for (let n = 0; n < MESSAGES; n++) {
    ({ id: messageId } = await chat.data<ChatMessage>('POST', `v1/chat/${token}`, { message }));
  }
  return { token, messageId: String(messageId) };
}

async function useApp(user: TestUser, app: ExternalApp): Promise<void> {
  const consent = `/ocs/v2.php/apps/app_api/api/v1/consents/${app.appId}?format=json`;
  await user.put(consent, { state: 'granted' });
  const caller = app.as(user.credentials.userId);
  for (let n = 0; n < APP_VALUES; n++) {
    const json = { configKey: `key ${n}`, configValue: 'v'.repeat(VALUE_BYTES) };
    await caller.ocs('POST', '/api/v1/ex-app/preference', { json });
  }
  const params = { object: 'app_api', object_id: 'o', subject_type: 'x', subject_params: {} };
  await caller.ocs('POST', '/api/v1/notification', { json: { params } });
}
