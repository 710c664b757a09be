import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { ExAppLog } from '../../src/app-api/apps/log/ex-app-log.service.js';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import {
  EVENT_DELIVERIES,
  EventDeliveryService,
} from '../../src/app-api/events/event-delivery.service.js';
import { UndeliveredEvents } from '../../src/app-api/events/undelivered-events.task.js';
import {
  NODE_EVENT_SUBTYPES,
  NodeEvents,
  type EventNode,
  type NodeEvent,
} from '../../src/common/ports/node-events.js';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
  type Handler,
  type ReceivedRequest,
} from '../support/external-app.js';
import { runGatefold } from '../support/gatefold-command.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { found, until, within } from '../support/until.js';

const LISTENER = '/apps/app_api/api/v1/events_listener';
const DEAD_LETTERS = '/ocs/v2.php/apps/app_api/api/v1/dead-letters';

/** Limit of undelivered events per app. */
const MOST = 30;

let gateway: TestApp;
let apps: ExternalApp[] = [];
let app: ExternalApp;

beforeAll(async () => {
  gateway = await startApp({ GATEFOLD_LIMITS: `undelivered-events-per-app=${MOST}` });
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  app = await anApp('listener');
});
afterEach(async () => {
  for (const { appId, close } of apps) {
    await close();
    await deliveries().drop(appId);
    await gateway.database.query('delete from ex_app where app_id = $1', [appId]);
  }
  apps = [];
  await gateway.database.query(`delete from job.job where name like 'event-delivery%'`);
});

async function anApp(appId: string): Promise<ExternalApp> {
  const external = await startExternalApp(gateway, { appId });
  await knowApp(gateway, external);
  external.on('/on-event', json({}));
  apps.push(external);
  return external;
}

const deliveries = () => gateway.inside(EventDeliveryService);
const publish = (event: NodeEvent) => gateway.inside(NodeEvents).publish(event);

function listen(external: ExternalApp, eventSubtypes: readonly string[] = []) {
  return gateway
    .inside(RegistrationsRepository)
    .save(external.appId, 'events_listener', 'node_event', {
      eventType: 'node_event',
      eventSubtypes,
      actionHandler: 'on-event',
    });
}

function aNode(change: Partial<EventNode> = {}): EventNode {
  return {
    fileId: 7,
    name: 'tide.txt',
    directory: '/harbour',
    etag: 'abc',
    mime: 'text/plain',
    fileType: 'file',
    mtimeSeconds: 1_700_000_000.75,
    sizeBytes: 12,
    favorite: false,
    permissions: 31,
    userId: 'ada',
    instanceId: 'oc1',
    ...change,
  };
}

const written = (name = 'tide.txt'): NodeEvent => ({
  subtype: 'NodeWrittenEvent',
  userId: 'ada',
  target: aNode({ name }),
});

const bodyOf = ({ body }: ReceivedRequest) =>
  JSON.parse(body.toString()) as {
    event_type: string;
    event_subtype: string;
    event_data: { target: { name: string }; source?: { name: string } };
  };

function talkOnAndOn(response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024);
  const talk = () => {
    while (!response.destroyed && response.write(piece)) {}
  };
  response.on('drain', talk);
  talk();
}

/** Instead of the next poll. */
const wake = () => gateway.inside(JobQueue).wake(EVENT_DELIVERIES);

/** Makes the next retry due at once; waits until there is one. */
async function hurry(): Promise<void> {
  await until('a retry', async () => {
    const rows = await gateway.database.query(
      `update job.job set start_after = now()
        where name = 'event-delivery' and state = 'retry' returning 1`,
    );
    return rows.length > 0;
  });
  wake();
}

function deadLetters(count: number) {
  return found(`${count} dead letters`, async () => {
    const letters = await deliveries().deadLetters();
    return letters.length >= count ? letters : null;
  });
}

describe(`a listener at ${LISTENER}`, () => {
  it('[G90] without subtypes receives all six', async () => {
    await listen(app);

    for (const subtype of NODE_EVENT_SUBTYPES) {
      await publish({ subtype, userId: 'ada', target: aNode() });
    }

    await app.received('/on-event', 6);
    expect(app.requests('/on-event').map((seen) => bodyOf(seen).event_subtype)).toEqual([
      ...NODE_EVENT_SUBTYPES,
    ]);
  });

  it('[G91] with subtypes receives only those', async () => {
    await listen(app, ['NodeDeletedEvent']);

    await publish(written());
    await publish({ ...written(), subtype: 'NodeDeletedEvent' });

    expect(bodyOf(await app.received('/on-event')).event_subtype).toBe('NodeDeletedEvent');
    expect(app.requests('/on-event')).toHaveLength(1);
  });

  it('[G92] receives type, subtype and target by POST, on behalf of the acting user', async () => {
    await listen(app);

    await publish(written());

    const seen = await app.received('/on-event');
    expect(seen).toMatchObject({ method: 'POST', userId: 'ada', authenticated: true });
    expect(seen.headers['content-type']).toBe('application/json');
    expect(JSON.parse(seen.body.toString())).toEqual({
      event_type: 'node_event',
      event_subtype: 'NodeWrittenEvent',
      event_data: {
        target: {
          fileId: 7,
          name: 'tide.txt',
          directory: '/harbour',
          etag: 'abc',
          mime: 'text/plain',
          fileType: 'file',
          mtime: 1_700_000_000,
          size: 12,
          favorite: 'false',
          permissions: 31,
          userId: 'ada',
          instanceId: 'oc1',
          shareOwner: null,
          shareOwnerId: null,
          shareTypes: null,
          shareAttributes: null,
          sharePermissions: null,
        },
      },
    });
  });

  it.each(['NodeRenamedEvent', 'NodeCopiedEvent'] as const)(
    '[G93] is sent the source of a %s too',
    async (subtype) => {
      await listen(app);

      await publish({ ...written('new.txt'), subtype, source: aNode({ name: 'old.txt' }) });

      const { event_data: data } = bodyOf(await app.received('/on-event'));
      expect([data.source?.name, data.target.name]).toEqual(['old.txt', 'new.txt']);
    },
  );

  it('[G94] that never answers delays neither the user nor other apps', async () => {
    const hanging = app;
    const healthy = await anApp('healthy');
    hanging.on('/on-event', () => {});
    await listen(hanging);
    await listen(healthy);

    for (const name of ['a', 'b', 'c']) {
      await publish(written(name));
    }

    await healthy.received('/on-event', 3);
    await hanging.received('/on-event');
    expect(hanging.requests('/on-event')).toHaveLength(1);
  });

  it.each([500, 404, 401, 302])(
    '[G94] that answers %i receives the same event again, before all later ones',
    async (status) => {
      await listen(app);
      app.on('/on-event', json({}, status));
      await publish(written('first'));
      await app.received('/on-event');
      app.on('/on-event', json({}));

      await publish(written('second'));
      await hurry();

      await app.received('/on-event', 3);
      expect(app.requests('/on-event').map((seen) => bodyOf(seen).event_data.target.name)).toEqual([
        'first',
        'first',
        'second',
      ]);
    },
  );

  it.each<[string, Handler]>([
    ['too much', (_request, response) => void response.end(Buffer.alloc(4 * 1024 * 1024))],
    ['without an end', (_request, response) => talkOnAndOn(response)],
    ['half of it', (_request, response) => void response.write('half', () => response.destroy())],
  ])('that sends %s after its status has accepted the event', async (_what, talk) => {
    await listen(app);
    app.on('/on-event', talk);

    await publish(written('first'));
    await app.received('/on-event');
    app.on('/on-event', json({}));
    await publish(written('second'));

    expect(bodyOf(await app.received('/on-event', 2)).event_data.target.name).toBe('second');
    expect(app.requests('/on-event')).toHaveLength(2);
  });

  it('receives events in the order in which they happened', async () => {
    await listen(app);
    const names = Array.from({ length: 25 }, (_, n) => `file ${n}`);

    for (const name of names) {
      await publish(written(name));
    }

    await app.received('/on-event', names.length);
    expect(app.requests('/on-event').map((seen) => bodyOf(seen).event_data.target.name)).toEqual(
      names,
    );
  });

  it('receives nothing for a change that was rolled back', async () => {
    await listen(app);
    const events = gateway.inside(NodeEvents);

    await expect(
      gateway.database.transaction(async (tx) => {
        await events.publish(written('undone'), tx);
        throw new Error('disk full');
      }),
    ).rejects.toThrow('disk full');
    await gateway.database.transaction((tx) => events.publish(written('kept'), tx));
    wake();

    expect(bodyOf(await app.received('/on-event')).event_data.target.name).toBe('kept');
  });

  it('of a disabled app receives nothing, not even after it is enabled again', async () => {
    const known = gateway.inside(ExAppsRepository);
    await listen(app);
    app.on('/on-event', json({}, 503));
    await publish(written('before'));
    await app.received('/on-event');
    app.on('/on-event', json({}));

    await known.setEnabled(app.appId, false);
    await publish(written('meanwhile'));
    await hurry();
    await nothingPending();
    await known.setEnabled(app.appId, true);
    await publish(written('after'));

    const second = await app.received('/on-event', 2);
    expect(bodyOf(second).event_data.target.name).toBe('after');
  });

  it('that was unregistered and registered again misses the events in between', async () => {
    const registrations = gateway.inside(RegistrationsRepository);
    await listen(app);
    app.on('/on-event', json({}, 503));
    await publish(written('before'));
    await app.received('/on-event');
    app.on('/on-event', json({}));

    await registrations.remove(app.appId, 'events_listener', 'node_event');
    await listen(app);
    await hurry();
    await publish(written('after'));

    const second = await app.received('/on-event', 2);
    expect(bodyOf(second).event_data.target.name).toBe('after');
  });

  it('of an unregistered app leaves no pending events', async () => {
    await listen(app);
    app.on('/on-event', json({}, 503));
    await publish(written('a'));
    await publish(written('b'));
    await app.received('/on-event');
    await retryComing();

    expect(await deliveries().drop(app.appId)).toBe(2);
    expect(await pending()).toBe(0);
  });
});

describe('of an app that does not keep up', () => {
  const trim = () => gateway.inside(UndeliveredEvents).trim();

  async function publishMany(count: number): Promise<string[]> {
    const names = Array.from({ length: count }, (_, n) => `file ${n}`);
    for (const name of names) {
      await publish(written(name));
    }
    return names;
  }

  it('the newest events wait and arrive, and its log says so; those of other apps stay', async () => {
    const other = await anApp('other');
    const held = Promise.withResolvers<ServerResponse>();
    app.on('/on-event', (_request, response) => held.resolve(response));
    other.on('/on-event', json({}, 503));
    await listen(app, ['NodeWrittenEvent']);
    await listen(other, ['NodeDeletedEvent']);
    for (const name of ['a', 'b', 'c']) {
      await publish({ ...written(name), subtype: 'NodeDeletedEvent' });
    }
    const names = await publishMany(MOST + 6);
    const response = await within('the first event', held.promise);

    await trim();

    app.on('/on-event', json({}));
    response.writeHead(200).end();
    await app.received('/on-event', MOST + 1);
    expect(app.requests('/on-event').map((seen) => bodyOf(seen).event_data.target.name)).toEqual([
      'file 0',
      ...names.slice(-MOST),
    ]);
    const left = await gateway.database.query(
      `select 1 from job.job
        where name = 'event-delivery' and singleton_key like 'other/%' and state < 'completed'`,
    );
    expect(left).toHaveLength(3);
    const log = gateway.inside(ExAppLog);
    await log.written();
    expect((await log.recent(app.appId, 10)).map(({ message }) => message)).toEqual([
      'the oldest undelivered events were dropped: 5, since more than 30 waited (undelivered-events-per-app)',
    ]);
  });

  it('the newest dead letters stay', async () => {
    app.on('/on-event', json({}, 422));
    await listen(app);
    const names = await publishMany(MOST + 3);
    await deadLetters(names.length);

    await trim();

    const kept = (await deliveries().deadLetters()).map(({ payload }) => payload.event.event_data);
    expect(kept).toMatchObject(names.slice(-MOST).map((name) => ({ target: { name } })));
  });
});

describe('deleting an account', () => {
  it('deletes its events and dead letters, also of an attempt that goes on', async () => {
    await gateway.signInOnce('zoe');
    const ofZoe = (name: string): NodeEvent => ({ ...written(name), userId: 'zoe' });
    await listen(app);
    app.on('/on-event', json({}, 422));
    await publish(ofZoe('refused'));
    await publish(written('refused'));
    await deadLetters(2);
    const held = Promise.withResolvers<ServerResponse>();
    app.on('/on-event', (_request, response) => held.resolve(response));
    await publish(ofZoe('diary'));
    await publish(ofZoe('letter'));
    const response = await within('the diary', held.promise);
    app.on('/on-event', json({}));

    await gateway.inside(UsersService).delete('zoe');
    response.writeHead(422).end();
    await until('the end of the attempt', () => gateway.inside(JobQueue).underWay === 0);

    const left = await gateway.database.query(
      `select name, data->'payload'->>'userId' as "userId" from job.job
        where name like 'event-delivery%' order by name`,
    );
    expect(left).toEqual([
      { name: 'event-delivery', userId: 'ada' },
      { name: 'event-delivery.dead-letters', userId: 'ada' },
    ]);
    expect(app.requests('/on-event')).toHaveLength(3);
  });
});

describe('unregistering an app', () => {
  it('deletes its pending and dead events; those of others stay', async () => {
    const other = await anApp('listener2');
    for (const external of [app, other]) {
      await listen(external);
      external.on('/on-event', json({}, 422));
    }
    await publish(written('refused'));
    await deadLetters(2);
    for (const external of [app, other]) {
      external.on('/on-event', json({}, 503));
    }
    await publish(written('waiting'));
    await Promise.all([app.received('/on-event', 2), other.received('/on-event', 2)]);
    await retryComing();

    await gateway.inside(LifecycleService).unregister(app.appId);

    const left = await gateway.database.query(
      `select name, singleton_key as key from job.job
        where name like 'event-delivery%' and state <> 'completed' order by name`,
    );
    expect(left).toEqual([
      { name: 'event-delivery', key: 'listener2/node_event' },
      { name: 'event-delivery.dead-letters', key: 'listener2/node_event' },
    ]);
  });
});

describe(`${DEAD_LETTERS}`, () => {
  const letters = async () => toOcs(await gateway.asAdmin().get(`${DEAD_LETTERS}?format=json`));

  async function oneRefused(): Promise<string> {
    await listen(app);
    app.on('/on-event', json({ detail: 'unreadable' }, 422));
    await publish(written('odd'));
    const [letter] = await deadLetters(1);
    return letter?.id ?? '';
  }

  it('contains an event that the app rejected, which delays no later event', async () => {
    const id = await oneRefused();
    app.on('/on-event', json({}));

    await publish(written('fine'));

    await app.received('/on-event', 2);
    expect((await letters()).data).toEqual([
      expect.objectContaining({
        id,
        app_id: 'listener',
        user_id: 'ada',
        event_type: 'node_event',
        event_subtype: 'NodeWrittenEvent',
        attempts: 1,
        error: 'listener answered NodeWrittenEvent with status 422',
      }),
    ]);
  });

  it('contains an event that could not be delivered for a day', async () => {
    await listen(app);
    app.on('/on-event', json({}, 500));
    await publish(written());
    await app.received('/on-event');
    await gateway.database.query(`update job.job set created_on = now() - interval '25 hours'`);

    await hurry();
    await deadLetters(1);

    expect((await letters()).data).toMatchObject([
      { attempts: 2, error: 'listener answered NodeWrittenEvent with status 500' },
    ]);
  });

  it('delivers an event again by retry', async () => {
    const id = await oneRefused();
    app.on('/on-event', json({}));

    const answer = await gateway.asAdmin().post(`${DEAD_LETTERS}/${id}/retry?format=json`);

    expect(toOcs(answer).statuscode).toBe(200);
    await app.received('/on-event', 2);
    expect((await letters()).data).toEqual([]);
  });

  it.each(['0', '01a1fd8e-2cd2-7000-b5c9-f7102b69fc18'])('returns 404 for %s', async (id) => {
    const answer = await gateway.asAdmin().post(`${DEAD_LETTERS}/${id}/retry?format=json`);

    expect(answer.status).toBe(404);
  });

  it('is for administrators only', async () => {
    const user = await gateway.signIn();

    expect((await user.get(DEAD_LETTERS)).status).toBe(403);
    expect((await user.post(`${DEAD_LETTERS}/x/retry`)).status).toBe(403);
    expect((await gateway.asStranger().get(DEAD_LETTERS)).status).toBe(401);
  });

  it('is available on the command line', async () => {
    const command = (...options: string[]) =>
      runGatefold(gateway, 'app_api:dead-letters', ...options);
    const id = await oneRefused();
    app.on('/on-event', json({}));

    expect((await command()).printed).toContain(id);
    await command('--retry', id);

    await app.received('/on-event', 2);
    expect((await command()).printed).toBe('There are no dead letters.\n');
  });
});

async function pending(): Promise<number> {
  const rows = await gateway.database.query(
    `select 1 from job.job where name = 'event-delivery' and state in ('created', 'retry', 'active')`,
  );
  return rows.length;
}

async function nothingPending(): Promise<void> {
  await until('the end of all deliveries', async () => (await pending()) === 0);
}

async function retryComing(): Promise<void> {
  await until('a retry', async () => {
    const rows = await gateway.database.query(
      `select 1 from job.job where name = 'event-delivery' and state = 'retry'`,
    );
    return rows.length > 0;
  });
}
