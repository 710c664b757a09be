import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { registerAppSecretCommand } from '../../src/app-api/administration/app-secret.commands.js';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { ExAppsService } from '../../src/app-api/apps/lifecycle/ex-apps.service.js';
import { HeartbeatSchedule } from '../../src/app-api/apps/lifecycle/heartbeat.schedule.js';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import type { Answer } from '../support/api-client.js';
import {
  knowApp,
  startExternalApp,
  type ExternalApp,
  type ReceivedRequest,
} from '../support/external-app.js';
import { Random } from '../support/histories/random.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

let app: TestApp;
let admin: TestUser;
let ada: TestUser;
let external: ExternalApp;
/** The secret that the app's process was started with. */
let ofProcess: string;
let refused: number;
let nextApp = 0;

beforeAll(async () => {
  app = await startApp();
  admin = app.asAdmin();
  ada = await app.signInOnce('ada');
});

afterAll(() => app.stop());

beforeEach(async () => {
  external = await startExternalApp(app, { appId: `rotated-${nextApp++}` });
  ofProcess = external.secret;
  refused = 0;
  await knowApp(app, external);
  await app.inside(ExAppRoutesRepository).replace(external.appId, [
    {
      url: 'page',
      verb: 'GET,POST',
      accessLevel: 1,
      headersToExclude: [],
      bruteforceStatuses: [],
    },
  ]);
  // As the SDK does: refused before anything is done.
  for (const path of ['/task', '/page', '/enabled']) {
    external.on(path, (request, response) => {
      const isRight = secretOf(request) === ofProcess;
      refused += isRight ? 0 : 1;
      response
        .writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
        .end('{"error":""}');
    });
  }
});

afterEach(() => external.close());

function secretOf({ headers }: ReceivedRequest): string {
  const [, ...rest] = Buffer.from(String(headers['authorization-app-api']), 'base64')
    .toString('utf8')
    .split(':');
  return rest.join(':');
}

/** The app calls the service. */
function calling(secret: string): Promise<Answer> {
  return app.asStranger().call('GET', '/ocs/v2.php/apps/app_api/ex-app/state?format=json', {
    headers: {
      'EX-APP-ID': external.appId,
      'EX-APP-VERSION': '1.0.0',
      'AUTHORIZATION-APP-API': Buffer.from(`:${secret}`).toString('base64'),
    },
  });
}

/** The service calls the app. */
async function called(): Promise<unknown> {
  const answer = await admin.call(
    'POST',
    `/ocs/v2.php/apps/app_api/api/v1/ex-app/request/${external.appId}?format=json`,
    { json: { route: '/task', method: 'POST', params: { a: 1 } } },
  );
  return (answer.json as { ocs: { data: { status_code?: number } } }).ocs.data.status_code;
}

const rotateAt = (user: Pick<TestUser, 'call'>, json: object = {}) =>
  user.call('POST', `/apps/app_api/apps/rotate-secret/${external.appId}`, { json });

async function rotate(json: object = {}): Promise<string> {
  const answer = await rotateAt(admin, json);
  expect(answer.status).toBe(200);
  return (answer.json as { secret: string }).secret;
}

/** As if the time of the previous secret had passed. */
async function passGrace(): Promise<void> {
  await app.database.query(
    `update ex_app set previous_secret_until = now() - interval '1 second' where app_id = $1`,
    [external.appId],
  );
}

describe('an app whose secret was rotated', () => {
  it('is accepted with both secrets for ten minutes, then with the new one', async () => {
    const secret = await rotate();

    expect((await calling(external.secret)).status).toBe(200);
    expect((await calling(secret)).status).toBe(200);
    expect((await calling(external.secret)).status).toBe(200);
    expect((await calling(`${secret}x`)).status).toBe(401);
    const [row] = await app.database.query<{ seconds: number }>(
      `select round(extract(epoch from previous_secret_until - now()))::int as seconds
         from ex_app where app_id = $1`,
      [external.appId],
    );
    expect(row?.seconds).toBeGreaterThan(500);
    expect(row?.seconds).toBeLessThanOrEqual(600);

    await passGrace();

    expect((await calling(external.secret)).status).toBe(401);
    expect((await calling(secret)).status).toBe(200);
  });

  it('is called with the secret that its process has, before and after its restart', async () => {
    const secret = await rotate();

    expect(await called()).toBe(200);
    expect(refused).toBe(0);

    ofProcess = secret;
    expect(await called()).toBe(200);
    expect(refused).toBe(1);

    // It has shown that it has the new one.
    expect(await called()).toBe(200);
    expect(refused).toBe(1);
  });

  it('is called with the new secret once it has called with it', async () => {
    ofProcess = await rotate();

    await calling(ofProcess);

    expect(await called()).toBe(200);
    expect(refused).toBe(0);
  });

  it('is still called with the old one if a process with the new one has ended', async () => {
    await calling(await rotate());

    expect(await called()).toBe(200);
    expect(refused).toBe(1);
  });

  it('gets proxied requests of browsers, repeated only without a body', async () => {
    ofProcess = await rotate();
    const page = `/index.php/apps/app_api/proxy/${external.appId}/page`;

    expect((await ada.call('POST', page, { json: { a: 1 } })).status).toBe(401);
    expect(refused).toBe(1);
    expect((await ada.call('GET', page)).status).toBe(200);
    expect((await ada.call('POST', page, { json: { a: 1 } })).status).toBe(200);
    expect(refused).toBe(2);
  });

  it('with --grace 0 is refused with the old one at once', async () => {
    ofProcess = await rotate({ graceSeconds: 0 });

    expect((await calling(external.secret)).status).toBe(401);
    expect((await calling(ofProcess)).status).toBe(200);
    expect(await called()).toBe(200);
    expect(refused).toBe(0);
  });

  it('keeps the secret of its process if it is rotated again before the restart', async () => {
    const unused = await rotate();

    const secret = await rotate();

    expect((await calling(external.secret)).status).toBe(200);
    expect((await calling(unused)).status).toBe(401);
    expect((await calling(secret)).status).toBe(200);
    const third = await rotate();
    expect((await calling(external.secret)).status).toBe(401);
    expect((await calling(secret)).status).toBe(200);
    expect((await calling(third)).status).toBe(200);
  });

  it('has no previous secret left in the database after its time', async () => {
    await rotate();
    await passGrace();

    await app.inside(HeartbeatSchedule).runRound();

    const [row] = await app.database.query<{ kept: unknown }>(
      'select previous_secret_sealed as kept from ex_app where app_id = $1',
      [external.appId],
    );
    expect(row?.kept).toBeNull();
  });

  it('has both secrets sealed, and shows neither', async () => {
    const secret = await rotate();

    const [row] = await app.database.query<{ stored: string }>(
      'select ex_app::text as stored from ex_app where app_id = $1',
      [external.appId],
    );
    const hex = (text: string) => Buffer.from(text).toString('hex');
    const info = await admin.call('GET', `/apps/app_api/apps/info/${external.appId}`);
    for (const hidden of [secret, external.secret]) {
      expect(row?.stored).not.toContain(hex(hidden));
      expect(info.text).not.toContain(hidden);
    }
    expect(info.json).toMatchObject({ app: { previous_secret_until: expect.any(Number) } });
  });
});

/** What the documentation says about secrets. */
class SecretsModel {
  previous: string | null = null;
  seen = true;

  constructor(public present: string) {}

  accepts(secret: string): boolean {
    return secret === this.present || secret === this.previous;
  }

  rotate(secret: string, graceSeconds: number): void {
    const kept = this.seen ? this.present : (this.previous ?? this.present);
    this.previous = graceSeconds === 0 ? null : kept;
    this.present = secret;
    this.seen = false;
  }

  set(secret: string): void {
    this.present = secret;
    this.previous = null;
    this.seen = true;
  }

  called(secret: string): void {
    this.seen ||= secret === this.present;
  }

  /** How often an app with a secret refuses before it accepts. */
  refusals(ofApp: string): number {
    const order = this.seen ? [this.present, this.previous] : [this.previous, this.present];
    const tried = order.filter((secret) => secret !== null);
    return tried.includes(ofApp) ? tried.indexOf(ofApp) : tried.length;
  }
}

describe('generated histories of secrets', () => {
  it.each(Array.from({ length: 15 }, (_, seed) => seed))(
    'agree with the model: %i',
    async (seed) => {
      const random = new Random(seed);
      const model = new SecretsModel(external.secret);
      const issued = [external.secret];
      for (let step = 0; step < 15; step += 1) {
        const what = random.below(7);
        if (what === 0 || what === 1) {
          const graceSeconds = random.below(4) === 0 ? 0 : 600;
          const secret = await rotate({ graceSeconds });
          issued.push(secret);
          model.rotate(secret, graceSeconds);
        } else if (what === 2) {
          await passGrace();
          model.previous = null;
        } else if (what === 3) {
          ofProcess = random.below(3) === 0 ? (random.pick(issued) ?? '') : model.present;
        } else if (what === 4 && random.below(3) === 0) {
          const secret = `set in step ${step} of ${seed}`;
          await app.inside(ExAppsService).setSecret(external.appId, secret);
          issued.push(secret);
          model.set(secret);
        }

        const secret = random.pick(issued) ?? '';
        const { status } = await calling(secret);
        expect({ step, status }).toEqual({ step, status: model.accepts(secret) ? 200 : 401 });
        model.called(secret);

        refused = 0;
        const expected = {
          step,
          answered: model.accepts(ofProcess) ? 200 : 401,
          refused: model.refusals(ofProcess),
        };
        expect({ step, answered: await called(), refused }).toEqual(expected);
        model.called(ofProcess);
      }
    },
  );
});

describe('the rotation', () => {
  it('is for administrators, and is a security event without the secret', async () => {
    expect((await rotateAt(ada)).status).toBe(403);
    expect((await rotateAt(app.asStranger())).status).toBe(401);
    const secret = await rotate({ graceSeconds: 60 });

    const events = await app.database.query<object>(
      `select details, actor_id, subject_kind from security_event where subject_id = $1 and kind = $2`,
      [external.appId, 'app_changed'],
    );
    expect(events).toEqual([
      {
        details: 'its secret was rotated; the previous one is valid for 60 seconds',
        actor_id: admin.credentials.userId,
        subject_kind: 'app',
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it.each([-1, 86_401, 'soon', 1.5])('refuses a time of %s seconds', async (graceSeconds) => {
    const answer = await rotateAt(admin, { graceSeconds });

    expect(answer.status).toBe(422);
    expect((await app.inside(ExAppsRepository).find(external.appId))?.previousSecret).toBeNull();
  });

  it('of an unknown app is 404', async () => {
    const answer = await admin.call('POST', '/apps/app_api/apps/rotate-secret/nobody', {
      json: {},
    });

    expect(answer.status).toBe(404);
  });
});

describe('app_api:app:secret --rotate', () => {
  afterEach(() => {
    delete process.env['APP_SECRET'];
  });

  async function gatefold(...args: string[]): Promise<string> {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    const printed: string[] = [];
    registerAppSecretCommand(
      program,
      (work) => work(app.inside),
      undefined,
      (text) => void printed.push(text),
    );
    await program.parseAsync(['app_api:app:secret', ...args], { from: 'user' });
    return printed.join('\n');
  }

  it('prints a new secret once, and for how long the old one is valid', async () => {
    const printed = await gatefold(external.appId, '--rotate', '--grace', '30');

    const [, secret = ''] = /APP_SECRET=([0-9a-f]{128})$/m.exec(printed) ?? [];
    expect(printed).toContain('valid for 30 more seconds');
    expect((await calling(secret)).status).toBe(200);
    expect((await calling(external.secret)).status).toBe(200);
  });

  it('takes the new secret from APP_SECRET, and does not print it', async () => {
    process.env['APP_SECRET'] = 'chosen by the operator';

    expect(await gatefold(external.appId, '--rotate')).not.toContain('chosen by');

    expect((await calling('chosen by the operator')).status).toBe(200);
  });

  it('refuses short secrets, unknown apps, and --grace without --rotate', async () => {
    await expect(gatefold('nobody', '--rotate')).rejects.toThrow(/nobody/);
    await expect(gatefold(external.appId, '--grace', '5')).rejects.toThrow(/--rotate/);
    await expect(gatefold(external.appId, '--rotate', '--grace', '-5')).rejects.toThrow(/--grace/);
    process.env['APP_SECRET'] = 'short';
    await expect(gatefold(external.appId, '--rotate')).rejects.toThrow(/16 characters/);
  });

  it('without it sets the secret at once and forgets the previous one', async () => {
    await rotate();

    await app.inside(ExAppsService).setSecret(external.appId, 'set by the operator');

    expect((await calling(external.secret)).status).toBe(401);
    expect((await calling('set by the operator')).status).toBe(200);
  });
});
