import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RegistrationsRepository } from '../../../src/app-api/capabilities/registrations.repository.js';
import {
  EVENT_DELIVERIES,
  EventDeliveryService,
} from '../../../src/app-api/events/event-delivery.service.js';
import { NodeEvents } from '../../../src/common/ports/node-events.js';
import { JobQueue } from '../../../src/database/jobs/job-queue.js';
import { DavClient } from '../../support/dav-client.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../../support/external-app.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { TrashClient } from '../../support/trash-client.js';

interface Told {
  readonly event_subtype: string;
  readonly event_data: { readonly target: NodeJson; readonly source?: NodeJson };
}

interface NodeJson {
  readonly fileId: number;
  readonly name: string;
  readonly directory: string;
  readonly etag: string;
}

let app: TestApp;
let listener: ExternalApp;
let ada: DavClient;
let heard = 0;

beforeAll(async () => {
  app = await startApp();
  listener = await startExternalApp(app, { appId: 'listener' });
  listener.on('/on-event', json({}));
  await knowApp(app, listener);
});
afterAll(async () => {
  await listener.close();
  await app.stop();
});
beforeEach(async () => {
  ada = new DavClient(await app.signIn());
  await ada.folder('/harbour');
  await ada.put('/harbour/tide.txt', 'low', { 'x-oc-mtime': '1580000000' });
  await app.inside(RegistrationsRepository).save('listener', 'events_listener', 'node_event', {
    eventType: 'node_event',
    eventSubtypes: [],
    actionHandler: 'on-event',
  });
  heard = listener.requests('/on-event').length;
});
afterEach(async () => {
  await app.database.query('delete from ex_app_registration');
  await app.inside(EventDeliveryService).drop('listener');
});

/** The next event that the listener receives. */
async function told(count: number): Promise<Told[]> {
  app.inside(JobQueue).wake(EVENT_DELIVERIES);
  await listener.received('/on-event', heard + count);
  return listener
    .requests('/on-event')
    .slice(heard)
    .map(({ body }) => JSON.parse(body.toString()) as Told);
}

const place = ({ directory, name }: NodeJson) => `${directory} ${name}`;

describe('An external app that listens receives', () => {
  it('a new file as created and written, with its metadata', async () => {
    await ada.put('/harbour/new.txt', 'content', { 'x-oc-mtime': '1580000000' });

    const [created, written] = await told(2);
    const { fileid, id, getetag } = await ada.known('/harbour/new.txt', [
      'oc:fileid',
      'oc:id',
      'd:getetag',
    ]);
    expect(created?.event_subtype).toBe('NodeCreatedEvent');
    expect(written?.event_subtype).toBe('NodeWrittenEvent');
    expect(written?.event_data).toEqual({
      target: {
        fileId: Number(fileid),
        name: 'new.txt',
        directory: '/harbour',
        etag: String(getetag).slice(1, -1),
        mime: 'text/plain',
        fileType: 'file',
        mtime: 1_580_000_000,
        size: 7,
        favorite: 'false',
        permissions: 27,
        userId: ada.user.credentials.userId,
        instanceId: String(id).slice(-12),
        shareOwner: null,
        shareOwnerId: null,
        shareTypes: null,
        shareAttributes: null,
        sharePermissions: null,
      },
    });
    expect(created?.event_data).toEqual(written?.event_data);
  });

  it('the owner as the acting user', async () => {
    await ada.put('/a.txt', 'a');

    await told(2);
    expect(listener.requests('/on-event').at(-1)).toMatchObject({
      userId: ada.user.credentials.userId,
      authenticated: true,
    });
  });

  it('new content as written', async () => {
    await ada.put('/harbour/tide.txt', 'high');

    const [written] = await told(1);
    expect(written?.event_subtype).toBe('NodeWrittenEvent');
    expect(written?.event_data.target).toMatchObject({ name: 'tide.txt', size: 4 });
  });

  it('a new folder as created', async () => {
    await ada.folder('/new');

    const [created] = await told(1);
    expect(created?.event_subtype).toBe('NodeCreatedEvent');
    expect(created?.event_data.target).toMatchObject({
      name: 'new',
      directory: '/',
      fileType: 'dir',
      mime: 'httpd/unix-directory',
      permissions: 31,
    });
  });

  it('a change of the modification time', async () => {
    await ada.patch(
      '/harbour/tide.txt',
      '<d:set><d:prop><d:lastmodified>1590000000</d:lastmodified></d:prop></d:set>',
    );

    const [touched] = await told(1);
    expect(touched?.event_subtype).toBe('NodeTouchedEvent');
    expect(touched?.event_data.target).toMatchObject({ mtime: 1_590_000_000 });
  });

  it('a deletion with the former metadata, once for a folder and everything below', async () => {
    await ada.remove('/harbour');
    await ada.put('/last.txt', 'last');

    const [deleted, next] = await told(3);
    expect(deleted?.event_subtype).toBe('NodeDeletedEvent');
    expect(deleted?.event_data.target).toMatchObject({ name: 'harbour', directory: '/', size: 3 });
    expect(next?.event_data.target.name).toBe('last.txt');
  });

  it('what comes back from the trash as created, folders above it too; nothing of a final deletion', async () => {
    const trash = new TrashClient(ada.user);
    const id = String(await ada.property('/harbour/tide.txt', 'oc:fileid'));
    await ada.remove('/harbour/tide.txt');
    await ada.remove('/harbour');
    await trash.restore(id);
    await trash.empty();
    await ada.folder('/last');

    const events = await told(5);
    expect(
      events.map(({ event_subtype, event_data: { target } }) => [event_subtype, place(target)]),
    ).toEqual([
      ['NodeDeletedEvent', '/harbour tide.txt'],
      ['NodeDeletedEvent', '/ harbour'],
      ['NodeCreatedEvent', '/ harbour'],
      ['NodeCreatedEvent', '/harbour tide.txt'],
      ['NodeCreatedEvent', '/ last'],
    ]);
    expect(events[3]?.event_data.target).toMatchObject({ fileId: Number(id) });
  });

  it('a rename or move, with source and target', async () => {
    await ada.move('/harbour/tide.txt', '/moved.txt');

    const [{ event_subtype, event_data } = missing()] = await told(1);
    expect(event_subtype).toBe('NodeRenamedEvent');
    expect([event_data.source, event_data.target].map((node) => node && place(node))).toEqual([
      '/harbour tide.txt',
      '/ moved.txt',
    ]);
    expect(event_data.source?.fileId).toBe(event_data.target.fileId);
  });

  it('a copy, with its source', async () => {
    await ada.copy('/harbour', '/copy');

    const [{ event_subtype, event_data } = missing()] = await told(1);
    expect(event_subtype).toBe('NodeCopiedEvent');
    expect([event_data.source, event_data.target].map((node) => node && place(node))).toEqual([
      '/ harbour',
      '/ copy',
    ]);
    expect(event_data.source?.fileId).not.toBe(event_data.target.fileId);
  });

  it('the deletion of a file that a move overwrites', async () => {
    await ada.put('/old.txt', 'old');
    await told(2);

    await ada.move('/harbour/tide.txt', '/old.txt');

    const subtypes = (await told(4)).map(({ event_subtype }) => event_subtype);
    expect(subtypes.slice(2)).toEqual(['NodeDeletedEvent', 'NodeRenamedEvent']);
  });

  it('nothing for rejected changes', async () => {
    await ada.put('/harbour/tide.txt', 'x', { 'if-match': '"other"' });
    await ada.move('/harbour', '/harbour/in/itself');
    await ada.remove('/none.txt');
    await ada.put('/last.txt', 'last');

    expect((await told(2)).map(({ event_data }) => event_data.target.name)).toEqual([
      'last.txt',
      'last.txt',
    ]);
  });
});

it('More users than there are database connections change files at once.', async () => {
  const users: DavClient[] = [];
  for (let n = 0; n < 12; n++) {
    users.push(new DavClient(await app.signIn()));
  }

  const answers = await Promise.all(users.map((user) => user.put('/a.txt', 'a')));

  expect(answers.map(({ status }) => status)).toEqual(users.map(() => 201));
  await told(2 * users.length);
});

it('A change whose event cannot be stored is rolled back.', async () => {
  const nodeEvents = app.inside(NodeEvents);
  const subscribers = Reflect.get(nodeEvents, 'publish') as NodeEvents['publish'];
  Reflect.set(nodeEvents, 'publish', () => Promise.reject(new Error('no room for events')));

  const refused = await ada.put('/harbour/tide.txt', 'high');
  Reflect.set(nodeEvents, 'publish', subscribers);

  expect(refused.status).toBe(500);
  expect((await ada.get('/harbour/tide.txt')).text).toBe('low');
  expect(await ada.property('/', 'oc:size')).toBe('3');
});

function missing(): never {
  throw new Error('Nothing was told');
}
