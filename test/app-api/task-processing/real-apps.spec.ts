import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LifecycleService } from '../../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { DavClient } from '../../support/dav-client.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../../support/external-app.js';
import { SdkApp, type SdkNextTask, type SdkTask } from '../../support/sdk-app.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';

/*
 * The request sequences of current AI apps, with their habits of reading answers: what they ask for at
 * enabling, how they find their model, what they send while they work. Their versions are in
 * docs/app-api-tasks.md.
 */

let gateway: TestApp;
let ada: TestUser;
const started: ExternalApp[] = [];

beforeAll(async () => {
  gateway = await startApp();
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  ada = await gateway.signIn();
});
afterEach(async () => {
  for (const { appId, close } of started.splice(0)) {
    await close();
    await gateway.database.query('delete from ex_app where app_id = $1', [appId]);
  }
  await gateway.database.query('delete from processing_task');
});

async function anApp(appId: string): Promise<SdkApp> {
  const app = await startExternalApp(gateway, { appId });
  started.push(app);
  await knowApp(gateway, app);
  app.on('/trigger', json({}));
  return new SdkApp(app);
}

/** Scheduled by the user in a browser. */
async function schedule(type: string, input: object, rest: object = {}): Promise<SdkTask> {
  const answer = toOcs(
    await ada.post('/ocs/v2.php/taskprocessing/schedule?format=json', {
      type,
      input,
      appId: 'assistant',
      ...rest,
    }),
  );
  expect(answer.data).toHaveProperty('task');
  return (answer.data as { task: SdkTask }).task;
}

async function seen(id: number): Promise<SdkTask> {
  const { data } = toOcs(await ada.get(`/ocs/v2.php/taskprocessing/task/${id}?format=json`));
  return (data as { task: SdkTask }).task;
}

async function given(next: Promise<SdkNextTask | null>): Promise<SdkNextTask> {
  return (await next) ?? Promise.reject(new Error('There is no task.'));
}

describe('translate2', () => {
  const LANGUAGES = ['de', 'en', 'fr'].map((value) => ({ name: value.toUpperCase(), value }));
  const PROVIDER = {
    id: 'translate2',
    name: 'Nextcloud Local Machine Translation',
    task_type: 'core:text2text:translate',
    expected_runtime: 120,
    input_shape_enum_values: {
      origin_language: [...LANGUAGES, { name: 'Detect language', value: 'detect_language' }],
      target_language: LANGUAGES,
    },
    input_shape_defaults: { origin_language: 'detect_language' },
  };

  it('registers while it is being enabled, translates, and unregisters', async () => {
    const translate = await anApp('translate2');
    translate.app.on('/enabled', async ({ query }, response) => {
      const isOn = query.get('enabled') === '1';
      await (isOn ? translate.register(PROVIDER) : translate.unregister('translate2'));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":""}');
    });
    const lifecycle = gateway.inside(LifecycleService);
    await lifecycle.disable('translate2');
    await lifecycle.enable('translate2');
    const next = () => translate.nextTask(['translate2'], ['core:text2text:translate']);
    expect(await next()).toBeNull();

    const { id } = await schedule('core:text2text:translate', {
      input: 'Ebbe',
      origin_language: 'detect_language',
      target_language: 'en',
    });
    const { task } = await given(next());
    expect(task.input).toEqual({
      input: 'Ebbe',
      origin_language: 'detect_language',
      target_language: 'en',
    });
    await translate.setProgress(task.id, 50);
    await translate.reportResult(task.id, { output: 'low tide' });

    expect(await seen(id)).toMatchObject({
      status: 'STATUS_SUCCESSFUL',
      output: { output: 'low tide' },
    });
    await lifecycle.disable('translate2');
    const types = toOcs(await ada.get('/ocs/v2.php/taskprocessing/tasktypes?format=json'));
    expect(types.data).toEqual({ types: {} });
  });
});

describe('llm2', () => {
  const TYPES = [
    'core:text2text',
    'core:text2text:summary',
    'core:text2text:headline',
    'core:text2text:topics',
    'core:text2text:simplification',
    'core:text2text:reformulation',
    'core:contextwrite',
    'core:text2text:chat',
    'core:text2text:proofread',
    'core:text2text:changetone',
    'core:text2text:chatwithtools',
    'core:text2text:improve',
    'core:text2text:formalization',
  ];
  const MODEL = 'llama-3.1-8b';
  const providerOf = (type: string) => `llm2:${MODEL}:${type}`;

  it('registers 13 providers in a row, finds its model in the name, and streams', async () => {
    const llm = await anApp('llm2');
    for (const type of TYPES) {
      const tones = [{ name: 'Friendly', value: 'friendlier' }];
      await llm.register({
        id: providerOf(type),
        task_type: type,
        expected_runtime: 30,
        optional_input_shape: [
          { name: 'temperature', description: 'Creativity', shape_type: 0 },
          { name: 'max_tokens', description: 'Length', shape_type: 0 },
        ],
        ...(type.endsWith('changetone') && { input_shape_enum_values: { tone: tones } }),
        // Misspelt, and dropped by the SDK in newer versions only.
        optional_input_defaults: { temperature: 0.2 },
      });
    }
    const types = toOcs(await ada.get('/ocs/v2.php/taskprocessing/tasktypes?format=json'));
    expect(Object.keys((types.data as { types: object }).types).toSorted()).toEqual(
      TYPES.toSorted(),
    );
    const { id } = await schedule(
      'core:text2text:chat',
      { system_prompt: 'You are a sailor.', input: 'Ahoy', history: [] },
      { preferStreaming: true },
    );

    const { task, provider } = await given(llm.nextTask(TYPES.map(providerOf), TYPES));
    expect(provider.name.replace(/^llm2:/, '').split(':')[0]).toBe(MODEL);
    expect(task).toMatchObject({ type: 'core:text2text:chat', preferStreaming: true });
    await llm.streamResult(task.id, { output: 'Ahoy, ' });
    expect(await seen(id)).toMatchObject({
      status: 'STATUS_RUNNING',
      output: { output: 'Ahoy, ' },
    });
    await llm.reportResult(task.id, { output: 'Ahoy, mate' });

    expect((await seen(id)).output).toEqual({ output: 'Ahoy, mate' });
  });
});

describe('stt_whisper2', () => {
  it('reads the recording in pieces, reports progress per segment, and the transcript', async () => {
    const whisper = await anApp('stt_whisper2');
    await whisper.register({
      id: 'stt_whisper2:faster-whisper-large',
      task_type: 'core:audio2text',
      expected_runtime: 120,
    });
    const dav = new DavClient(ada);
    const recording = 'RIFF and the sound of the sea '.repeat(5000);
    await dav.put('/sea.wav', recording);
    const fileId = Number(await dav.property('/sea.wav', 'oc:fileid'));
    const { id } = await schedule('core:audio2text', { input: fileId });

    const { task, provider } = await given(
      whisper.nextTask(['stt_whisper2:faster-whisper-large'], ['core:audio2text']),
    );
    expect(provider.name.split(':', 2)[1]).toBe('faster-whisper-large');
    const file = await whisper.download(task.id, task.input['input']);
    expect(file.text).toBe(recording);
    expect(file.headers['content-type']).toMatch(/^audio\//);
    for (const percentage of [0, 12.5, 48.25, 99.9]) {
      expect((await whisper.setProgress(task.id, percentage)).status).toBe('STATUS_RUNNING');
    }
    await whisper.reportResult(task.id, { output: 'the sound of the sea' });

    expect(await seen(id)).toMatchObject({
      progress: 1,
      output: { output: 'the sound of the sea' },
    });
  });

  it('reports that a file is gone, with the sentence that it was told', async () => {
    const whisper = await anApp('stt_whisper2');
    await whisper.register({ id: 'stt_whisper2:small', task_type: 'core:audio2text' });
    const dav = new DavClient(ada);
    await dav.put('/sea.wav', 'RIFF');
    const fileId = Number(await dav.property('/sea.wav', 'oc:fileid'));
    const { id } = await schedule('core:audio2text', { input: fileId });
    await dav.call('DELETE', '/sea.wav');

    const { task } = await given(whisper.nextTask(['stt_whisper2:small'], ['core:audio2text']));
    const error = await whisper.download(task.id, fileId).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ statusCode: 404, detail: { message: expect.any(String) } });
    await whisper.reportResult(task.id, null, String(error));

    expect((await seen(id)).status).toBe('STATUS_FAILED');
  });
});

describe('context_agent', () => {
  const AGENT = 'core:contextagent:interaction';

  it('works on a task for its user by scheduling others, and polls them meanwhile', async () => {
    const [agent, llm] = [await anApp('context_agent'), await anApp('llm2')];
    await agent.register({ id: 'context_agent:agent', task_type: AGENT, expected_runtime: 60 });
    await llm.register({ id: 'llm2:m:chatwithtools', task_type: 'core:text2text:chatwithtools' });
    const { id } = await schedule(AGENT, {
      input: 'What is on today?',
      confirmation: 0,
      conversation_token: '{}',
    });
    const { task } = await given(agent.nextTask(['context_agent:agent'], [AGENT]));

    const forUser = agent.as(task.userId);
    const types = (await forUser.ocs('GET', '/ocs/v2.php/taskprocessing/tasktypes')) as {
      types: object;
    };
    expect('core:text2image' in types.types).toBe(false);
    const sub = (await forUser.ocs('POST', '/ocs/v1.php/taskprocessing/schedule', {
      type: 'core:text2text:chatwithtools',
      appId: 'context_agent',
      input: { system_prompt: 's', input: 'i', tool_message: '', history: [], tools: '[]' },
    })) as { task: SdkTask };
    const poll = async () =>
      (
        (await forUser.ocs('GET', `/ocs/v1.php/taskprocessing/task/${sub.task.id}`)) as {
          task: SdkTask;
        }
      ).task;
    expect((await poll()).status).toBe('STATUS_SCHEDULED');
    const called = await given(
      llm.nextTask(['llm2:m:chatwithtools'], ['core:text2text:chatwithtools']),
    );
    expect((await poll()).status).toBe('STATUS_RUNNING');
    await llm.reportResult(called.task.id, { output: 'Nothing.', tool_calls: '[]' });
    expect(await poll()).toMatchObject({
      status: 'STATUS_SUCCESSFUL',
      output: { output: 'Nothing.', tool_calls: '[]' },
    });
    await agent.reportResult(task.id, {
      output: 'Nothing is on today.',
      conversation_token: '{"a":1}',
      actions: '',
    });

    expect((await seen(id)).output).toMatchObject({ output: 'Nothing is on today.' });
  });

  it('is told what it can say when nobody provides the type', async () => {
    const agent = await anApp('context_agent');

    await expect(
      agent.as(ada.credentials.userId).ocs('POST', '/ocs/v1.php/taskprocessing/schedule', {
        type: 'core:text2image',
        appId: 'context_agent',
        input: { input: 'the sea', numberOfImages: 1 },
      }),
    ).rejects.toMatchObject({ statusCode: 412 });
  });
});

describe('text2image_stablediffusion2', () => {
  it('gets its defaults, uploads pictures without a name, and reports their ids', async () => {
    const painter = await anApp('text2image_stablediffusion2');
    const providerId = 'text2image_stablediffusion2:sdxl_turbo';
    await painter.register({
      id: providerId,
      task_type: 'core:text2image',
      expected_runtime: 120,
      optional_input_shape: [{ name: 'size', description: 'As 512x512', shape_type: 1 }],
      input_shape_defaults: { size: '512x512', numberOfImages: 1 },
    });
    const { id } = await schedule('core:text2image', { input: 'the sea' });

    const { task } = await given(painter.nextTask([providerId], ['core:text2image']));
    expect(task.input).toEqual({ input: 'the sea', size: '512x512', numberOfImages: 1 });
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const images = [await painter.uploadResultFile(task.id, png)];
    await painter.reportResult(task.id, { images });

    const { output } = await seen(id);
    expect(output).toEqual({ images });
    const path = `/ocs/v2.php/taskprocessing/tasks/${id}/file/${images[0]}`;
    const picture = await ada.get(path);
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
  });
});

describe('talk_bot_ai', () => {
  it('schedules a prompt for the writer of a message, and is called back with the answer', async () => {
    const [bot, llm] = [await anApp('talk_bot_ai'), await anApp('llm2')];
    await llm.register({ id: 'llm2:m:text', task_type: 'core:text2text' });
    bot.app.on('/message', json({}));
    await bot.as(ada.credentials.userId).ocs('POST', '/ocs/v1.php/taskprocessing/schedule', {
      input: { input: 'What do cats say?' },
      type: 'core:text2text',
      appId: 'talk_bot_ai',
      customId: '',
      webhookUri: '/message?reply_to=4&token=abc',
      webhookMethod: 'AppAPI:talk_bot_ai:POST',
    });

    const { task } = await given(llm.nextTask(['llm2:m:text'], ['core:text2text']));
    await llm.reportResult(task.id, { output: 'Meow' });

    const call = await bot.app.received('/message');
    expect([call.query.get('reply_to'), call.query.get('token')]).toEqual(['4', 'abc']);
    expect((JSON.parse(call.body.toString()) as { task: SdkTask }).task).toMatchObject({
      status: 'STATUS_SUCCESSFUL',
      output: { output: 'Meow' },
    });
  });
});
