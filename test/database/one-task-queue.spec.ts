import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import { CALLS } from '../../src/app-api/task-processing/consumers/task-calls.service.js';
import { SecretBox } from '../../src/common/secrets/secret-box.js';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { migrate } from '../../src/database/migrate.js';
import { Migration0109OneTaskQueue } from '../../src/database/migrations/0109-one-task-queue.js';
import { MIGRATIONS } from '../../src/database/migrations/all.js';
import { loadConfig } from '../../src/settings.js';
import { json, startExternalApp, toOcs, type ExternalApp } from '../support/external-app.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { provideTasks, type TaskProviderCalls } from '../support/task-provider.js';
import { dropDatabase, queryServer, SECRET_KEY, urlOfDatabase } from '../support/test-database.js';

const TEXTS = '/ocs/v2.php/textprocessing';
const SPEECH = '/ocs/v2.php/speechtotext';

/** A piece of the recording, and the rest. */
const PIECE = 1024 * 1024;
const REST = 'the end';

const name = `gatefold_task_queue_${randomBytes(8).toString('hex')}`;
const url = urlOfDatabase(name);
let gateway: TestApp;
let ada: TestUser;
let ears: ExternalApp;
let brain: ExternalApp;
let provider: TaskProviderCalls;

/** Tasks as the version before stored them: both tables, and a pair for each task that apps fetch. */
const STORED = `
  insert into ex_app (app_id, name, version, base_url, secret_sealed, enabled)
  values ('ears', 'Ears', '1.0.0', 'http://127.0.0.1:1', '', true),
         ('brain', 'Brain', '1.0.0', 'http://127.0.0.1:1', '', true);
  insert into processing_task (id, type, state, user_id, consumer, custom_id, input, app_id, provider_id,
                               deadline_at, started_at)
  overriding system value
  values (7, 'core:text2text:headline', 'running', 'ada', 'notes', 'older-task:105',
          '{"input": "a saga"}', 'brain', 'brain:core:text2text:headline', now() + interval '1 day', now());
  insert into ex_app_task (id, app_id, kind, provider_name, user_id, input, note, state, result, error,
                           progress, processing_task_id, created_at, started_at, finished_at, deadline_at)
  overriding system value
  select id, app_id, kind, 'p', 'ada', input::jsonb, note::jsonb, state, result, error, progress, pair,
         now() - interval '1 minute', case when state <> 'queued' then now() - interval '50 seconds' end,
         case when state in ('done', 'failed') then now() - interval '40 seconds' end,
         now() + interval '1 hour'
    from (values
      (101, 'ears', 'text_processing', '{"prompt": "a story"}',
       '{"type": "summary", "appId": "notes", "identifier": "one"}', 'done', 'short', '', null, null),
      (102, 'ears', 'text_processing', '{"prompt": "a poem"}',
       '{"type": "free_prompt", "appId": "", "identifier": ""}', 'failed', '', 'no idea', null, null),
      (103, 'ears', 'text_processing', '{"prompt": "a novel"}',
       '{"type": "topics", "appId": "mail", "identifier": ""}', 'running', null, null, 29, null),
      (104, 'ears', 'speech_to_text', '{"filename": "a/b.ogg", "mime": "audio/ogg"}',
       '{"appId": "memo", "identifier": ""}', 'queued', null, null, null, null),
      (105, 'brain', 'text_processing', '{"prompt": "a saga"}',
       '{"type": "headline", "appId": "notes", "identifier": "two"}', 'queued', null, null, null, 7),
      (106, 'ears', 'speech_to_text', '{"filename": "lost.ogg", "mime": "audio/ogg"}',
       '{}', 'uploading', null, null, null, null),
      (107, 'brain', 'text_processing', '{"prompt": "a tale"}',
       '{"type": "summary", "appId": "notes", "identifier": ""}', 'done', 'brief', '', null, 6)
    ) as t (id, app_id, kind, input, note, state, result, error, progress, pair);
  insert into ex_app_task_piece (task_id, place, bytes)
  values (104, 0, convert_to(repeat('x', ${PIECE}), 'UTF8')), (104, 1, convert_to('${REST}', 'UTF8')),
         (106, 0, 'lost');
  select setval(pg_get_serial_sequence('ex_app_task', 'id'), 200);`;

beforeAll(async () => {
  await queryServer(`create database "${name}"`);
  const config = ormConfig({ url }, [], 4);
  const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(Migration0109OneTaskQueue));
  const orm = await MikroORM.init({
    ...config,
    migrations: { ...config.migrations, migrationsList: before },
  });
  await migrate(orm);
  await orm.close();
  const client = new Client(url);
  await client.connect();
  const box = new SecretBox(loadConfig({ GATEFOLD_SECRET_KEY: SECRET_KEY }));
  await client.query('insert into secret_key (fingerprint) values ($1)', [box.fingerprint]);
  await client.query(STORED);
  await client.end();

  gateway = await startApp({ DATABASE_URL: url });
  ada = await gateway.signInOnce('ada');
  const apps = gateway.inside(ExAppsRepository);
  for (const appId of ['ears', 'brain']) {
    const app = await startExternalApp(gateway, { appId });
    await apps.setSecret(appId, app.secret);
    await gateway.database.query('update ex_app set base_url = $2 where app_id = $1', [
      appId,
      app.baseUrl,
    ]);
    if (appId === 'ears') {
      ears = app;
    } else {
      brain = app;
    }
  }
  ears.on('/work', json({}));
  const fields = { name: 'p', displayName: 'P', actionHandler: 'work' };
  await gateway.inside(RegistrationsRepository).save('ears', 'speech_to_text', 'p', fields);
  provider = await provideTasks(brain, ['core:text2text:headline']);
});
afterAll(async () => {
  await ears?.close();
  await brain?.close();
  await gateway?.stop();
  await dropDatabase(name);
});

async function task(path: string): Promise<unknown> {
  const answer = toOcs(await ada.get(`${path}?format=json`));
  return answer.httpStatus === 200 ? (answer.data as { task: unknown }).task : answer.httpStatus;
}

const report = (kind: string, body: object) =>
  ears.as().ocs('PUT', `/api/v1/ai_provider/${kind}`, { json: body });

describe('tasks of the version before', () => {
  it('that have ended are shown as before, under their ids', async () => {
    const [done, failed] = [await task(`${TEXTS}/task/101`), await task(`${TEXTS}/task/102`)];
    const times = {
      scheduledAt: expect.any(Number),
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
      completionExpectedAt: null,
    };

    expect(done).toEqual({
      ...times,
      id: 101,
      type: String.raw`OCP\TextProcessing\SummaryTaskType`,
      status: 3,
      userId: 'ada',
      appId: 'notes',
      identifier: 'one',
      input: 'a story',
      output: 'short',
      errorMessage: null,
      progress: null,
    });
    expect(failed).toMatchObject({
      id: 102,
      type: String.raw`OCP\TextProcessing\FreePromptTaskType`,
      status: 4,
      appId: '',
      identifier: '',
      output: null,
      errorMessage: 'no idea',
    });
    expect(await task(`${TEXTS}/task/107`)).toMatchObject({ id: 107, status: 3, output: 'brief' });
  });

  it('are listed by app and identifier, the newest first', async () => {
    const ids = async (path: string) =>
      (toOcs(await ada.get(path)).data as { tasks: { id: number }[] }).tasks.map(({ id }) => id);

    expect(await ids(`${TEXTS}/tasks?format=json`)).toEqual([107, 105, 103, 102, 101]);
    expect(await ids(`${TEXTS}/tasks/app/notes?identifier=two&format=json`)).toEqual([105]);
    expect(await ids(`${SPEECH}/tasks?format=json`)).toEqual([104]);
  });

  it('that a provider works on take its reports', async () => {
    expect(await task(`${TEXTS}/task/103`)).toMatchObject({ status: 2, progress: 29 });

    await report('text_processing', { taskId: 103, progress: 58 });
    const half = await task(`${TEXTS}/task/103`);
    await report('text_processing', { taskId: 103, result: 'love, war' });

    expect(half).toMatchObject({ status: 2, progress: 58, output: null });
    expect(await task(`${TEXTS}/task/103`)).toMatchObject({ status: 3, output: 'love, war' });
  });

  it('that wait are delivered with their recording by the job of the version before', async () => {
    await gateway.inside(JobQueue).send(CALLS, [{ key: 'ears', payload: { taskId: 104 } }]);
    const seen = await ears.received('/work');
    const form = await new Response(new Uint8Array(seen.body), {
      headers: { 'content-type': String(seen.headers['content-type']) },
    }).formData();
    const file = form.get('data') as File;

    expect(seen.query.get('task_id')).toBe('104');
    expect([file.name, file.type, file.size]).toEqual([
      'a/b.ogg',
      'audio/ogg',
      PIECE + REST.length,
    ]);
    expect((await file.text()).slice(PIECE)).toBe(REST);
    await report('speech_to_text', { taskId: 104, result: 'la la' });
    expect(await task(`${SPEECH}/task/104`)).toMatchObject({
      status: 3,
      appId: 'memo',
      input: 'a/b.ogg',
      output: 'la la',
    });
    expect(await gateway.database.query('select 1 from processing_task_file')).toEqual([]);
  });

  it('that an app has fetched are one task, known by both ids', async () => {
    expect(await task(`${TEXTS}/task/105`)).toMatchObject({ id: 105, status: 2, input: 'a saga' });
    expect(await task('/ocs/v2.php/taskprocessing/task/7')).toMatchObject({
      id: 7,
      customId: 'older-task:105',
      appId: 'notes',
    });

    const fetched = { id: 7, type: '', status: '', userId: 'ada', input: {} };
    await provider.succeed(fetched, { output: 'In short' });

    expect(await task(`${TEXTS}/task/105`)).toMatchObject({
      status: 3,
      identifier: 'two',
      output: 'In short',
    });
  });

  it('whose recording was arriving are gone', async () => {
    expect(await task(`${SPEECH}/task/106`)).toBe(404);
  });

  it('leave their ids to no new task', async () => {
    const body = { input: 'new', type: 'headline' };
    const { data } = toOcs(await ada.post(`${TEXTS}/schedule?format=json`, body));

    expect((data as { task: { id: number } }).task.id).toBeGreaterThan(200);
  });
});
