import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import type { RegistrationKind } from '../../src/app-api/capabilities/capability.js';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import { OwnTasksService } from '../../src/app-api/task-processing/consumers/own-tasks.service.js';
import { TaskCalls } from '../../src/app-api/task-processing/consumers/task-calls.service.js';
import { SpeechToTextService } from '../../src/app-api/task-processing/older-tasks/speech-to-text.service.js';
import { TextProcessingService } from '../../src/app-api/task-processing/older-tasks/text-processing.service.js';
import { TranslationService } from '../../src/app-api/task-processing/older-tasks/translation.service.js';
import type { Account } from '../../src/common/ports/user-directory.js';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
  type OcsAnswer,
  type ReceivedRequest,
} from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { until } from '../support/until.js';

const ADA: Account = { userId: 'ada', displayName: 'Ada', isAdmin: false, lastLoginSeconds: 0 };

let gateway: TestApp;
let app: ExternalApp;
const started: ExternalApp[] = [];

beforeAll(async () => {
  gateway = await startApp();
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  app = await anApp('translator');
});
afterEach(async () => {
  for (const { appId, close } of started.splice(0)) {
    await close();
    await gateway.database.query('delete from ex_app where app_id = $1', [appId]);
  }
});

async function anApp(appId: string): Promise<ExternalApp> {
  const external = await startExternalApp(gateway, { appId });
  await knowApp(gateway, external);
  external.on('/work', json({}));
  started.push(external);
  return external;
}

const service = <Service>(token: abstract new (...args: never[]) => Service): Service =>
  gateway.inside(token);

const save = (external: ExternalApp, kind: RegistrationKind, name: string, fields: object) =>
  service(RegistrationsRepository).save(external.appId, kind, name, {
    name,
    displayName: name,
    actionHandler: 'work',
    ...fields,
  });

const translates = (external: ExternalApp, name = 'translator', fields: object = {}) =>
  save(external, 'translation', name, {
    fromLanguages: { de: 'German', en: 'English' },
    toLanguages: { de: 'German', en: 'English' },
    actionDetectLang: '',
    ...fields,
  });

const bodyOf = ({ body }: ReceivedRequest) =>
  JSON.parse(body.toString()) as Record<string, unknown>;
const translation = () => service(TranslationService);
const hallo = { text: 'Hallo', from: 'de', to: 'en' };

function report(external: ExternalApp, kind: string, body: object): Promise<OcsAnswer> {
  return external.as().ocs('PUT', `/api/v1/ai_provider/${kind}`, { json: body });
}

async function taskGiven(external: ExternalApp, nth = 1): Promise<number> {
  return Number(bodyOf(await external.received('/work', nth))['task_id']);
}

describe('a translation', () => {
  it('[G100] is sent by POST on behalf of the user, and reported by PUT', async () => {
    await translates(app);
    const translated = translation().translate(ADA, hallo);

    const seen = await app.received('/work');
    expect(seen).toMatchObject({ method: 'POST', userId: 'ada', authenticated: true });
    expect(bodyOf(seen)).toEqual({
      from_language: 'de',
      to_language: 'en',
      text: 'Hallo',
      task_id: expect.any(Number),
      max_execution_time: expect.any(Number),
    });
    expect(bodyOf(seen)['max_execution_time']).toBeGreaterThan(290);

    const answer = await report(app, 'translation', {
      taskId: bodyOf(seen)['task_id'],
      result: 'Hello',
      error: '',
    });
    expect(answer).toMatchObject({ httpStatus: 200, statuscode: 100, data: [] });
    expect(await translated).toEqual({ text: 'Hello', from: 'de' });
  });

  it('[G96] accepts the report in snake case, with numbers as text and without an error', async () => {
    await translates(app);
    const translated = translation().translate(ADA, hallo);

    const taskId = await taskGiven(app);
    await report(app, 'translation', { task_id: String(taskId), result: 'Hello' });

    expect(await translated).toMatchObject({ text: 'Hello' });
  });

  it('may be reported before the request is answered', async () => {
    await translates(app);
    app.on('/work', async (seen, response) => {
      await report(app, 'translation', { taskId: bodyOf(seen)['task_id'], result: 'Hello' });
      response.end();
    });

    expect(await translation().translate(ADA, hallo)).toMatchObject({ text: 'Hello' });
  });

  it('may be reported long before the request is answered, or after it failed', async () => {
    service(TaskCalls).patienceSeconds = 0;
    await translates(app);
    app.on('/work', () => {});
    const translated = translation().translate(ADA, hallo);

    await report(app, 'translation', { taskId: await taskGiven(app), result: 'Hello' });

    expect(await translated).toMatchObject({ text: 'Hello' });
    service(TaskCalls).patienceSeconds = 10;
  });

  it('fails with the error of the provider', async () => {
    await translates(app);
    const translated = translation().translate(ADA, hallo);
    const failure = failureOf(translated);

    await report(app, 'translation', { taskId: await taskGiven(app), error: 'out of memory' });

    expect(await failure).toBe('out of memory');
  });

  it('fails if the provider rejects it or cannot be reached', async () => {
    await translates(app);
    app.on('/work', json({}, 500));
    await expect(translation().translate(ADA, hallo)).rejects.toThrow('status 500');

    await app.close();
    const failure = failureOf(translation().translate(ADA, hallo));
    await hurryRetries(2);

    expect(await failure).toMatch('could not be reached');
  });

  it('fails without a report in time; a later report is accepted without effect', async () => {
    await translates(app);
    const failure = failureOf(translation().translate(ADA, hallo));
    const taskId = await taskGiven(app);

    await gateway.database.query('update processing_task set deadline_at = now() where id = $1', [
      taskId,
    ]);

    expect(await failure).toMatch('in time');
    const late = await report(app, 'translation', { taskId, result: 'Hello' });
    expect(late.statuscode).toBe(100);
    expect(await stateOf(taskId)).toMatchObject({ state: 'failed', result: null });
  });

  it('keeps the first of several reports', async () => {
    await translates(app);
    const translated = translation().translate(ADA, hallo);
    const taskId = await taskGiven(app);

    const first = await report(app, 'translation', { taskId, result: 'Hello' });
    const second = await report(app, 'translation', {
      taskId,
      result: '',
      error: 'changed my mind',
    });

    expect([first.statuscode, second.statuscode]).toEqual([100, 100]);
    expect(await translated).toMatchObject({ text: 'Hello' });
    expect(await stateOf(taskId)).toMatchObject({ state: 'successful', result: 'Hello' });
  });

  it('may be reported to any process', async () => {
    await translates(app);
    const translated = translation().translate(ADA, hallo);
    const taskId = await taskGiven(app);

    // As another process would write it.
    await gateway.database.query(
      `update processing_task
          set state = 'successful', output = '{"output": "Hello"}', ended_at = now() where id = $1`,
      [taskId],
    );

    expect(await translated).toMatchObject({ text: 'Hello' });
  });

  it('is sent to a provider of both languages, or to the given one', async () => {
    const other = await anApp('polyglot');
    await translates(app);
    await translates(other, 'polyglot', { fromLanguages: { fi: 'Finnish', de: 'German' } });

    const finnish = translation().translate(ADA, { text: 'moi', from: 'fi', to: 'en' });
    await report(other, 'translation', { taskId: await taskGiven(other), result: 'hi' });
    const named = translation().translate(ADA, { ...hallo, provider: 'polyglot:polyglot' });
    await report(other, 'translation', { taskId: await taskGiven(other, 2), result: 'Hello' });

    expect([(await finnish).text, (await named).text]).toEqual(['hi', 'Hello']);
    await expect(translation().translate(ADA, { ...hallo, from: 'sv' })).rejects.toThrow(
      'No external app translates from "sv" to "en".',
    );
  });

  it('is not sent to a disabled app', async () => {
    await translates(app);
    await service(ExAppsRepository).setEnabled(app.appId, false);

    await expect(translation().translate(ADA, hallo)).rejects.toThrow('No external app translates');
  });
});

describe('unregistering an app', () => {
  const jobsIn = (states: string) =>
    gateway.database.query<{ name: string; group: string }>(
      `select name, group_id as group from job.job
        where name like 'provider-task%' and state in (${states}) order by name, group_id`,
    );
  const untilJobsIn = (state: string) =>
    until(`two jobs in state ${state}`, async () => (await jobsIn(`'${state}'`)).length === 2);

  it('deletes the jobs of its tasks and their dead letters; those of others stay', async () => {
    const both = [app, await anApp('translator2')];
    const askBoth = () =>
      both.map(({ appId }) =>
        failureOf(translation().translate(ADA, { ...hallo, provider: `${appId}:${appId}` })),
      );
    for (const external of both) {
      await translates(external, external.appId);
      await external.close();
    }
    const outcomes = askBoth();
    await untilJobsIn('retry');
    await gateway.database.query(
      `update job.job set created_on = now() - interval '2 hours' where name = 'provider-task'`,
    );
    await hurryRetries(2);
    await untilJobsIn('created');
    outcomes.push(...askBoth());
    await untilJobsIn('retry');
    // Not before the spec has ended.
    await gateway.database.query(
      `update job.job set start_after = now() + interval '1 hour' where name = 'provider-task'`,
    );

    await service(LifecycleService).unregister(app.appId);

    expect(await jobsIn(`'created', 'retry'`)).toEqual([
      { name: 'provider-task', group: 'translator2' },
      { name: 'provider-task.dead-letters', group: 'translator2' },
    ]);
    await gateway.database.query(`delete from ex_app where app_id = 'translator2'`);
    expect(await Promise.all(outcomes)).not.toContain('nothing');
  });
});

describe('language detection', () => {
  beforeEach(() => translates(app, 'translator', { actionDetectLang: 'detect' }));

  it('[G102] is requested with the text only, if the language is not given', async () => {
    app.on('/detect', json({ detected_lang: 'de' }));
    const translated = translation().translate(ADA, { ...hallo, from: null });

    const taskId = await taskGiven(app);
    expect(bodyOf(await app.received('/detect'))).toEqual({ text: 'Hallo' });
    expect(bodyOf(await app.received('/work'))['from_language']).toBe('de');
    await report(app, 'translation', { taskId, result: 'Hello' });
    expect(await translated).toEqual({ text: 'Hello', from: 'de' });
  });

  it.each([{ error: 'too short' }, {}, 'nonsense'])(
    'that the provider cannot answer (%j) ends the translation',
    async (answer) => {
      app.on('/detect', json(answer));

      await expect(translation().translate(ADA, { ...hallo, from: null })).rejects.toThrow(
        'The language could not be detected',
      );
    },
  );

  it('by an app that is down tells the user nothing internal', async () => {
    await app.close();

    const failure = await failureOf(translation().translate(ADA, { ...hallo, from: null }));

    expect(failure).toContain('does not answer');
    expect(failure).not.toMatch(/127\.0\.0\.1|http/);
  });

  it('is left to the translating provider if it offers none', async () => {
    await translates(app, 'translator');
    const translated = translation().translate(ADA, { ...hallo, from: null });

    expect(bodyOf(await app.received('/work'))['from_language']).toBeNull();
    await report(app, 'translation', { taskId: await taskGiven(app), result: 'Hello' });
    expect(await translated).toEqual({ text: 'Hello', from: null });
  });
});

describe('text processing', () => {
  const summarises = () => save(app, 'text_processing', 'summary', { taskType: 'summary' });

  it('sends the prompt and accepts the report', async () => {
    await summarises();
    const processed = service(TextProcessingService).processText(ADA, 'summary', 'a long story');

    expect(bodyOf(await app.received('/work'))).toEqual({
      prompt: 'a long story',
      task_id: expect.any(Number),
      max_execution_time: expect.any(Number),
    });
    await report(app, 'text_processing', { taskId: await taskGiven(app), result: 'short' });
    expect(await processed).toBe('short');
  });

  it('is rejected without a provider for the type', async () => {
    await summarises();

    await expect(service(TextProcessingService).processText(ADA, 'topics', 'x')).rejects.toThrow(
      'topics',
    );
    expect(await service(TextProcessingService).taskTypes()).toEqual(['summary']);
  });
});

describe('speech to text', () => {
  it.each(['ai_provider', 'provider'])(
    'sends the recording as a form, and accepts the report at %s/speech_to_text',
    async (place) => {
      await save(app, 'speech_to_text', 'ears', {});
      const bytes = Buffer.from([0, 255, 13, 10, 45, 45]);
      const transcribed = service(SpeechToTextService).transcribe(ADA, {
        bytes,
        filename: 'gulls.ogg',
        mime: 'audio/ogg',
      });

      const seen = await app.received('/work');
      const form = await new Response(new Uint8Array(seen.body), {
        headers: { 'content-type': String(seen.headers['content-type']) },
      }).formData();
      const file = form.get('data') as File;
      expect([file.name, file.type]).toEqual(['gulls.ogg', 'audio/ogg']);
      expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes);
      expect(Number(seen.query.get('max_execution_time'))).toBeGreaterThan(290);

      const taskId = Number(seen.query.get('task_id'));
      await app.as().ocs('PUT', `/api/v1/${place}/speech_to_text`, {
        json: { taskId, result: 'Kee-aah', error: '' },
      });
      expect(await transcribed).toBe('Kee-aah');
    },
  );
});

describe('PUT /apps/app_api/api/v1/ai_provider/*', () => {
  const kinds = ['translation', 'text_processing', 'speech_to_text'];

  it.each(kinds)('[G99] rejects a report for an unknown %s task', async (kind) => {
    expect(await report(app, kind, { taskId: 999_999_999, result: 'x' })).toMatchObject({
      statuscode: 404,
      message: 'There is no task 999999999.',
    });
  });

  it('[G101] rejects a report by another app without effect', async () => {
    const stranger = await anApp('stranger');
    await translates(app);
    const translated = translation().translate(ADA, hallo);
    const taskId = await taskGiven(app);

    const refused = await report(stranger, 'translation', { taskId, result: 'Buy now' });
    await report(app, 'translation', { taskId, result: 'Hello' });

    expect(refused.statuscode).toBe(404);
    expect(await translated).toMatchObject({ text: 'Hello' });
  });

  it('rejects a report for another kind of task', async () => {
    await translates(app);
    const translated = translation().translate(ADA, hallo);
    const taskId = await taskGiven(app);

    expect((await report(app, 'text_processing', { taskId, result: 'x' })).statuscode).toBe(404);
    await report(app, 'translation', { taskId, result: 'Hello' });
    expect(await translated).toMatchObject({ text: 'Hello' });
  });

  it.each([{}, { taskId: 'seven' }, { taskId: -1 }, { taskId: 1, result: {} }])(
    'rejects %j as a report',
    async (body) => {
      expect((await report(app, 'translation', body)).statuscode).toBe(400);
    },
  );

  it('is not for users', async () => {
    const user = await gateway.signIn();

    expect((await user.put('/ocs/v1.php/apps/app_api/api/v1/ai_provider/translation')).status).toBe(
      401,
    );
  });
});

describe('tasks', () => {
  it('are deleted a week after they finished, recordings at once', async () => {
    await save(app, 'speech_to_text', 'ears', {});
    const recording = { bytes: Buffer.from('la'), filename: 'a', mime: 'audio/ogg' };
    const transcribed = service(SpeechToTextService).transcribe(ADA, recording);
    const taskId = Number((await app.received('/work')).query.get('task_id'));
    await report(app, 'speech_to_text', { taskId, result: 'la' });
    await transcribed;
    expect(await gateway.database.query('select 1 from processing_task_file_piece')).toEqual([]);

    await service(OwnTasksService).tidy();
    expect(await stateOf(taskId)).toBeDefined();
    await gateway.database.query(`update processing_task set ended_at = now() - interval '8 days'`);
    await service(OwnTasksService).tidy();

    expect(await stateOf(taskId)).toBeUndefined();
  });
});

describe('/ocs/v2.php/translation', () => {
  it('lists language pairs without duplicates', async () => {
    await translates(app, 'one');
    await translates(app, 'two', { actionDetectLang: 'detect' });
    const user = await gateway.signInOnce('ada');

    const answer = await user.get('/ocs/v2.php/translation/languages?format=json');

    expect(toOcs(answer).data).toEqual({
      languages: [
        { from: 'de', fromLabel: 'German', to: 'en', toLabel: 'English' },
        { from: 'en', fromLabel: 'English', to: 'de', toLabel: 'German' },
      ],
      languageDetection: true,
    });
  });

  it('translates for users', async () => {
    await translates(app);
    app.on('/work', async (seen, response) => {
      response.end();
      await report(app, 'translation', { taskId: bodyOf(seen)['task_id'], result: 'Hello' });
    });
    const user = await gateway.signInOnce('ada');

    const answer = await user.post('/ocs/v2.php/translation/translate?format=json', {
      text: 'Hallo',
      fromLanguage: 'de',
      toLanguage: 'en',
    });

    expect(toOcs(answer)).toMatchObject({ statuscode: 200, data: { text: 'Hello', from: 'de' } });
    expect(app.requests('/work')[0]?.userId).toBe('ada');
  });

  it('answers 412 without a provider, and 500 if the translation failed', async () => {
    const user = await gateway.signInOnce('ada');
    const body = { text: 'Hallo', fromLanguage: 'de', toLanguage: 'en' };

    const nobody = await user.post('/ocs/v2.php/translation/translate?format=json', body);
    await translates(app);
    app.on('/work', json({}, 500));
    const failed = await user.post('/ocs/v2.php/translation/translate?format=json', body);

    expect([nobody.status, failed.status]).toEqual([412, 500]);
    expect(toOcs(failed).data).toEqual({
      message: 'The provider answered with status 500.',
    });
  });
});

describe('/ocs/v2.php/textprocessing', () => {
  const root = '/ocs/v2.php/textprocessing';
  beforeEach(() => save(app, 'text_processing', 'summary', { taskType: 'summary' }));

  it('lists the types that have a provider', async () => {
    const user = await gateway.signInOnce('ada');

    expect(toOcs(await user.get(`${root}/tasktypes?format=json`)).data).toEqual({
      types: [{ id: 'OCP\\TextProcessing\\SummaryTaskType', name: 'Summarize', description: '' }],
    });
  });

  it.each(['summary', 'OCP\\TextProcessing\\SummaryTaskType'])(
    'schedules a task of the type %s and shows its result',
    async (type) => {
      const user = await gateway.signInOnce('ada');
      const scheduled = toOcs(
        await user.post(`${root}/schedule?format=json`, {
          input: 'a long story',
          type,
          appId: 'notes',
          identifier: 'note 7',
        }),
      );
      const { task } = scheduled.data as { task: { id: number } };
      expect(task).toEqual({
        id: expect.any(Number),
        type: 'OCP\\TextProcessing\\SummaryTaskType',
        status: 1,
        userId: 'ada',
        appId: 'notes',
        input: 'a long story',
        output: null,
        errorMessage: null,
        identifier: 'note 7',
        progress: null,
        completionExpectedAt: null,
        scheduledAt: expect.any(Number),
        startedAt: null,
        endedAt: null,
      });

      expect(await taskGiven(app)).toBe(task.id);
      await report(app, 'text_processing', { taskId: task.id, result: 'short' });

      expect(toOcs(await user.get(`${root}/task/${task.id}?format=json`)).data).toMatchObject({
        task: { status: 3, output: 'short' },
      });
    },
  );

  it('shows tasks to their user only', async () => {
    const user = await gateway.signInOnce('ada');
    const other = await gateway.signInOnce('ben');
    const body = { input: 'secret', type: 'summary', appId: 'notes' };
    const { task } = toOcs(await user.post(`${root}/schedule?format=json`, body)).data as {
      task: { id: number };
    };

    expect((await other.get(`${root}/task/${task.id}`)).status).toBe(404);
    expect((await gateway.asStranger().get(`${root}/task/${task.id}`)).status).toBe(401);
  });

  it('rejects an unknown type with 400, and one without a provider with 412', async () => {
    const user = await gateway.signInOnce('ada');

    expect((await user.post(`${root}/schedule`, { input: 'x', type: 'poem' })).status).toBe(400);
    expect((await user.post(`${root}/schedule`, { input: 'x', type: 'topics' })).status).toBe(412);
  });
});

async function stateOf(taskId: number) {
  const [row] = await gateway.database.query<Record<string, unknown>>(
    `select state, output->>'output' as result, error from processing_task where id = $1`,
    [taskId],
  );
  return row;
}

/** Makes the next deliveries due at once. */
async function hurryRetries(count: number): Promise<void> {
  let hurried = 0;
  await until(`${count} retries`, async () => {
    const rows = await gateway.database.query(
      `update job.job set start_after = now() - interval '1 second'
        where name = 'provider-task' and state = 'retry' and start_after >= now() returning 1`,
    );
    hurried += rows.length;
    // Otherwise two seconds later.
    await service(JobQueue).poll();
    return hurried >= count;
  });
}

/** The error; keeps the rejection from being unhandled. */
function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing',
    (error: Error) => error.message,
  );
}
