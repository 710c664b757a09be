import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import { OwnTasksService } from '../../src/app-api/task-processing/consumers/own-tasks.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { basic } from '../support/api-client.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
  type OcsAnswer,
} from '../support/external-app.js';
import { responseTo } from '../support/response-to.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { provideTasks, type TaskProviderCalls } from '../support/task-provider.js';
import { found, until } from '../support/until.js';

const TEXTS = '/ocs/v2.php/textprocessing';
const SPEECH = '/ocs/v2.php/speechtotext';

let gateway: TestApp;
let app: ExternalApp;
let ada: TestUser;
let ben: TestUser;

beforeAll(async () => {
  gateway = await startApp({ GATEFOLD_LARGEST_RECORDING_MIB: '3' });
  app = await startExternalApp(gateway, { appId: 'ears' });
  await knowApp(gateway, app);
  ada = await gateway.signInOnce('ada');
  ben = await gateway.signInOnce('ben');
});
afterAll(async () => {
  await app?.close();
  await gateway?.stop();
});

let handler: string;
let handlers = 0;
beforeEach(async () => {
  // A separate handler for each case.
  handlers += 1;
  handler = `work-${handlers}`;
  app.on(`/${handler}`, json({}));
  const fields = { name: 'p', displayName: 'P', actionHandler: handler };
  const registrations = gateway.inside(RegistrationsRepository);
  await registrations.save('ears', 'speech_to_text', 'p', fields);
  await registrations.save('ears', 'text_processing', 'p', { ...fields, taskType: 'summary' });
});
afterEach(async () => {
  await gateway.database.query('delete from processing_task');
});

interface TaskJson {
  readonly id: number;
  readonly status: number;
  readonly [key: string]: unknown;
}

async function ask(user: TestUser, method: string, path: string, body?: unknown) {
  const options = body === undefined ? {} : { json: body };
  return toOcs(await user.call(method, path, { ...options, query: { format: 'json' } }));
}

const taskIn = ({ data }: OcsAnswer) => (data as { task: TaskJson }).task;
const tasksIn = ({ data }: OcsAnswer) => (data as { tasks: TaskJson[] }).tasks;

async function schedule(user: TestUser, note: object = {}): Promise<TaskJson> {
  const body = { input: 'a story', type: 'summary', appId: 'notes', ...note };
  return taskIn(await ask(user, 'POST', `${TEXTS}/schedule`, body));
}

/** Sends a recording as the raw body. */
async function speak(
  user: Pick<TestUser, 'baseUrl'> & { credentials?: TestUser['credentials'] },
  bytes: Uint8Array,
  { query = '', type = 'audio/ogg' } = {},
): Promise<OcsAnswer> {
  const request = http.request(`${user.baseUrl}${SPEECH}/schedule?format=json${query}`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': type,
      ...(user.credentials && { authorization: basic(user.credentials) }),
    },
  });
  const response = await responseTo(request.end(bytes));
  const body = await text(response);
  const { statusCode: status = 0, headers } = response;
  return toOcs({ status, headers, text: body, json: JSON.parse(body) });
}

const report = (kind: string, body: object) =>
  app.as().ocs('PUT', `/api/v1/ai_provider/${kind}`, { json: body });

const pieces = () => gateway.database.query('select 1 from processing_task_file_piece');

/** The task, as soon as it is no longer queued. */
function begun(path: string): Promise<TaskJson> {
  return found('the beginning of the task', async () => {
    const task = taskIn(await ask(ada, 'GET', path));
    return task.status === 1 ? null : task;
  });
}

describe('a scheduled task', () => {
  it('has a status with the time of each step', async () => {
    const { id, ...waiting } = await schedule(ada);
    const running = await begun(`${TEXTS}/task/${id}`);
    await report('text_processing', { taskId: id, result: 'short' });
    const over = taskIn(await ask(ada, 'GET', `${TEXTS}/task/${id}`));

    const aTime = expect.any(Number);
    expect(waiting).toMatchObject({ status: 1, scheduledAt: aTime, startedAt: null });
    expect(running).toMatchObject({ status: 2, startedAt: aTime, endedAt: null });
    expect(over).toMatchObject({ status: 3, output: 'short', endedAt: aTime, errorMessage: null });
  });

  it('shows the progress that its provider reports, and ends with the result', async () => {
    const { id } = await schedule(ada);
    await app.received(`/${handler}`);

    const noted = await report('text_processing', { taskId: id, progress: 42.7 });
    const half = taskIn(await ask(ada, 'GET', `${TEXTS}/task/${id}`));
    await report('text_processing', { taskId: id, result: 'short', progress: 100 });
    await report('text_processing', { taskId: id, progress: 50 });
    const over = taskIn(await ask(ada, 'GET', `${TEXTS}/task/${id}`));

    expect(noted).toMatchObject({ statuscode: 100, data: [] });
    expect(half).toMatchObject({ status: 2, progress: 42, output: null });
    expect(over).toMatchObject({ status: 3, progress: 42, output: 'short' });
  });

  it.each([101, -1, 'half'])('rejects progress of %j', async (progress) => {
    const { id } = await schedule(ada);

    expect((await report('text_processing', { taskId: id, progress })).statuscode).toBe(400);
  });

  it('rejects progress from another app', async () => {
    const stranger = await startExternalApp(gateway, { appId: 'stranger' });
    await knowApp(gateway, stranger);
    const { id } = await schedule(ada);

    const answer = await stranger
      .as()
      .ocs('PUT', '/api/v1/ai_provider/text_processing', { json: { taskId: id, progress: 1 } });
    await stranger.close();

    expect(answer.statuscode).toBe(404);
    expect(taskIn(await ask(ada, 'GET', `${TEXTS}/task/${id}`))['progress']).toBeNull();
  });

  it('fails with a message if its provider hangs beyond the deadline', async () => {
    app.on(`/${handler}`, () => {});
    const { id } = await schedule(ada);
    await app.received(`/${handler}`);

    await gateway.database.query(`update processing_task set deadline_at = now()`);

    expect(taskIn(await ask(ada, 'GET', `${TEXTS}/task/${id}`))).toMatchObject({
      status: 4,
      output: null,
      errorMessage: 'The provider did not report a result in time.',
      endedAt: expect.any(Number),
    });
  });

  it('can be deleted in any state, after which its report is rejected', async () => {
    const { id } = await schedule(ada);
    await app.received(`/${handler}`);

    const foreign = await ask(ben, 'DELETE', `${TEXTS}/task/${id}`);
    const deleted = await ask(ada, 'DELETE', `${TEXTS}/task/${id}`);
    const again = await ask(ada, 'DELETE', `${TEXTS}/task/${id}`);

    expect(foreign.statuscode).toBe(404);
    expect(taskIn(deleted)).toMatchObject({ id });
    expect(again.statuscode).toBe(404);
    expect((await report('text_processing', { taskId: id, result: 'x' })).statuscode).toBe(404);
  });

  it('is listed for its user only, newest first, by app and identifier', async () => {
    const first = await schedule(ada, { identifier: 'note 1' });
    const second = await schedule(ada, { identifier: 'note 2' });
    const other = await schedule(ada, { appId: 'mail' });
    await schedule(ben, { identifier: 'note 1' });
    const list = async (path: string) =>
      tasksIn(await ask(ada, 'GET', `${TEXTS}/${path}`)).map(({ id }) => id);
    const named = await ada.get(`${TEXTS}/tasks/app/notes?identifier=note%201&format=json`);

    expect(await list('tasks')).toEqual([other.id, second.id, first.id]);
    expect(await list('tasks/app/notes')).toEqual([second.id, first.id]);
    expect(tasksIn(toOcs(named)).map(({ id }) => id)).toEqual([first.id]);
    expect(await list('tasks/app/nobody')).toEqual([]);
  });

  it('is not listed if newer ones are large, but shown', async () => {
    const long = 'x'.repeat(900_000);
    const tasks = [];
    for (let count = 0; count < 6; count += 1) {
      tasks.push(await schedule(ada, { input: long }));
    }

    const listed = tasksIn(await ask(ada, 'GET', `${TEXTS}/tasks`));

    expect(listed.map(({ id }) => id)).toEqual(
      tasks
        .slice(2)
        .map(({ id }) => id)
        .toReversed(),
    );
    const oldest = await ask(ada, 'GET', `${TEXTS}/task/${tasks[0]?.id}`);
    expect(oldest.data).toMatchObject({ task: { id: tasks[0]?.id, input: long } });
  });

  it('is rejected with 429 while its user has fifty unfinished tasks', async () => {
    const { id } = await schedule(ada);
    await gateway.database.query(
      `insert into processing_task (type, state, user_id, consumer, input, deadline_at, older, called_app_id)
       select type, 'running', user_id, consumer, input, deadline_at, older, called_app_id
         from processing_task, generate_series(1, 49) where id = $1`,
      [id],
    );

    const refused = await ask(ada, 'POST', `${TEXTS}/schedule`, { input: 'x', type: 'summary' });
    const ofBen = await ask(ben, 'POST', `${TEXTS}/schedule`, { input: 'x', type: 'summary' });

    expect(refused).toMatchObject({
      httpStatus: 429,
      message: 'You have 50 tasks that are not finished; wait until some are.',
    });
    expect(ofBen.statuscode).toBe(200);
  });

  it.each([
    ['GET', `${TEXTS}/tasks`],
    ['DELETE', `${TEXTS}/task/1`],
    ['GET', `${SPEECH}/available`],
    ['GET', `${SPEECH}/tasks`],
    ['GET', `${SPEECH}/task/1`],
    ['DELETE', `${SPEECH}/task/1`],
    ['POST', `${SPEECH}/schedule`],
  ])('%s %s requires credentials', async (method, path) => {
    expect((await gateway.asStranger().call(method, path)).status).toBe(401);
  });
});

describe('a recording', () => {
  // Two pieces and a bit, with bytes that are neither text nor the end of a form.
  const long = Buffer.alloc(2_200_000, Buffer.from([0, 255, 13, 10, 45, 45, 7]));

  it('is the body of a request, and reaches the app unchanged', async () => {
    const answer = await speak(ada, long, { query: '&filename=gulls%22.ogg&appId=memo' });
    const { id } = taskIn(answer);
    const seen = await app.received(`/${handler}`);

    expect(answer.httpStatus).toBe(200);
    expect(taskIn(answer)).toMatchObject({ userId: 'ada', appId: 'memo', input: 'gulls".ogg' });
    expect([seen.userId, seen.query.get('task_id')]).toEqual(['ada', String(id)]);
    expect(seen.headers['content-length']).toBe(String(seen.body.length));
    const form = await new Response(new Uint8Array(seen.body), {
      headers: { 'content-type': String(seen.headers['content-type']) },
    }).formData();
    const file = form.get('data') as File;
    expect([file.name, file.type]).toEqual(['gulls".ogg', 'audio/ogg']);
    expect(Buffer.from(await file.arrayBuffer()).equals(long)).toBe(true);

    await report('speech_to_text', { taskId: id, result: 'Kee-aah' });
    expect(taskIn(await ask(ada, 'GET', `${SPEECH}/task/${id}`))).toMatchObject({
      status: 3,
      output: 'Kee-aah',
    });
    expect(await pieces()).toEqual([]);
  });

  it('is shown to, listed for and deleted by its user only', async () => {
    const { id } = taskIn(await speak(ada, Buffer.from('la')));

    expect((await ask(ben, 'GET', `${SPEECH}/task/${id}`)).statuscode).toBe(404);
    expect((await ask(ben, 'DELETE', `${SPEECH}/task/${id}`)).statuscode).toBe(404);
    expect(tasksIn(await ask(ben, 'GET', `${SPEECH}/tasks`))).toEqual([]);
    expect(tasksIn(await ask(ada, 'GET', `${SPEECH}/tasks`))).toMatchObject([{ id }]);
    expect((await ask(ada, 'GET', `${TEXTS}/task/${id}`)).statuscode).toBe(404);
    expect((await ask(ada, 'DELETE', `${SPEECH}/task/${id}`)).statuscode).toBe(200);
    expect(await pieces()).toEqual([]);
  });

  it('that is too large is rejected with 413 and not stored', async () => {
    const answer = await speak(ada, Buffer.alloc(3 * 1024 * 1024 + 1));

    expect(answer).toMatchObject({
      httpStatus: 413,
      message: 'The recording is larger than 3 MiB.',
    });
    expect(await gateway.database.query('select 1 from processing_task')).toEqual([]);
    expect(await pieces()).toEqual([]);
  });

  it('that is empty, or of another media type, is rejected', async () => {
    const form = await speak(ada, Buffer.from('a=b'), {
      type: 'application/x-www-form-urlencoded',
    });

    expect(await speak(ada, Buffer.alloc(0))).toMatchObject({
      httpStatus: 400,
      message: 'The recording is empty.',
    });
    expect(form).toMatchObject({
      httpStatus: 415,
      message: 'Send the recording as the body, with a Content-Type such as audio/ogg.',
    });
    expect(await gateway.database.query('select 1 from processing_task')).toEqual([]);
  });

  it('whose sender disconnects is deleted', async () => {
    const request = http.request(`${gateway.url}${SPEECH}/schedule`, {
      method: 'POST',
      headers: {
        'content-type': 'audio/ogg',
        'content-length': String(2 * long.length),
        authorization: basic(ada.credentials),
      },
    });
    request.on('error', () => {});
    request.write(long.subarray(0, 1_500_000));
    await arrived(1);

    request.destroy();

    await arrived(0);
    // The task is deleted after its file.
    const left = await found('no task', async () => {
      const tasks = await gateway.database.query('select 1 from processing_task');
      return tasks.length === 0 ? tasks : null;
    });
    expect(left).toEqual([]);
  });

  it('of a crashed process is deleted by the cleanup', async () => {
    await gateway.database.query(
      `insert into processing_task (type, state, user_id, consumer, input, scheduled_at, deadline_at, older,
                                    called_app_id)
       values ('core:audio2text', 'uploading', 'ada', 'memo', '{}', now() - interval '61 minutes',
               now() + interval '1 hour', '{}', 'ears')`,
    );
    const listed = tasksIn(await ask(ada, 'GET', `${SPEECH}/tasks`));

    await gateway.inside(OwnTasksService).tidy();

    expect(listed).toEqual([]);
    expect(await gateway.database.query('select 1 from processing_task')).toEqual([]);
  });

  it('is rejected with 412 without a provider', async () => {
    const before = await ask(ada, 'GET', `${SPEECH}/available`);
    await gateway.inside(RegistrationsRepository).remove('ears', 'speech_to_text', 'p');

    expect(before.data).toEqual({ available: true });
    expect((await ask(ada, 'GET', `${SPEECH}/available`)).data).toEqual({ available: false });
    expect(await speak(ada, Buffer.from('la'))).toMatchObject({
      httpStatus: 412,
      message: 'No external app provides speech to text.',
    });
  });

  it('requires credentials', async () => {
    expect((await speak({ baseUrl: gateway.url }, Buffer.from('la'))).httpStatus).toBe(401);
  });

  it('is deleted with the account of its user', async () => {
    const eve = await gateway.signInOnce('eve');
    await speak(eve, Buffer.from('la'));

    await gateway.inside(UsersService).delete('eve');

    expect(await gateway.database.query('select 1 from processing_task')).toEqual([]);
  });

  async function arrived(count: number): Promise<void> {
    await until(`${count} pieces`, async () => (await pieces()).length === count);
  }
});

describe('a task of the older routes that task processing does', () => {
  let brain: ExternalApp;
  let provider: TaskProviderCalls;

  beforeEach(async () => {
    brain = await startExternalApp(gateway, { appId: 'brain' });
    await knowApp(gateway, brain);
    provider = await provideTasks(brain, ['core:text2text:summary', 'core:text2text:headline']);
  });
  afterEach(async () => {
    await brain.close();
    await gateway.database.query(`delete from ex_app where app_id = 'brain'`);
  });

  it('has an id, a state and a progress of its own, and the result of the app', async () => {
    const { id, ...waiting } = await schedule(ada, { type: 'headline', identifier: 'one' });
    const task = await provider.awaitTask();
    await provider.progress(task, 0.42);
    const half = taskIn(await ask(ada, 'GET', `${TEXTS}/task/${id}`));
    await provider.succeed(task, { output: 'In short' });
    const over = taskIn(await ask(ada, 'GET', `${TEXTS}/task/${id}`));

    expect(task).toMatchObject({ userId: 'ada', input: { input: 'a story' } });
    expect(waiting).toMatchObject({ status: 1, appId: 'notes', identifier: 'one' });
    expect(half).toMatchObject({ status: 2, progress: 42, output: null });
    expect(over).toMatchObject({ status: 3, output: 'In short', errorMessage: null });
    expect(tasksIn(await ask(ada, 'GET', `${TEXTS}/tasks`))).toMatchObject([{ id, status: 3 }]);
    expect((await ask(ben, 'GET', `${TEXTS}/task/${id}`)).statuscode).toBe(404);
    expect(app.requests(`/${handler}`)).toEqual([]);
  });

  it('fails with the message for users', async () => {
    const { id } = await schedule(ada);
    await provider.fail(await provider.awaitTask(), 'Too tired.');

    const over = taskIn(await ask(ada, 'GET', `${TEXTS}/task/${id}`));
    expect(over).toMatchObject({ status: 4, output: null, errorMessage: 'Too tired.' });
  });

  it('is cancelled when it is deleted', async () => {
    const { id } = await schedule(ada);
    const task = await provider.awaitTask();
    await ask(ada, 'DELETE', `${TEXTS}/task/${id}`);

    const { data } = await provider.progress(task, 0.5);
    expect(data).toMatchObject({ task: { status: 'STATUS_CANCELLED' } });
    expect((await ask(ada, 'GET', `${TEXTS}/task/${id}`)).statuscode).toBe(404);
  });

  it('is listed among the types beside those of older providers', async () => {
    const { data } = await ask(ada, 'GET', `${TEXTS}/tasktypes`);
    const ids = (data as { types: { id: string }[] }).types.map((type) =>
      type.id.split('\\').at(-1),
    );

    expect(ids.toSorted()).toEqual(['HeadlineTaskType', 'SummaryTaskType']);
  });
});
