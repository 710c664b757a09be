import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../../src/app-api/apps/ex-apps.repository.js';
import { TaskScheduler } from '../../../src/app-api/task-processing/consumers/task-scheduler.service.js';
import { WEBHOOK_CALLS } from '../../../src/app-api/task-processing/consumers/task-webhooks.task.js';
import { JobQueue } from '../../../src/database/jobs/job-queue.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../../support/external-app.js';
import { runGatefold } from '../../support/gatefold-command.js';
import { SdkApp, type SdkTask } from '../../support/sdk-app.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';
import { until } from '../../support/until.js';

const ROOT = '/ocs/v2.php/taskprocessing';
const PROMPT = 'core:text2text';

let gateway: TestApp;
let ada: TestUser;
let bot: ExternalApp;
let model: SdkApp;
let started: ExternalApp[];

beforeAll(async () => {
  gateway = await startApp({ GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.1/32' });
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  ada = await gateway.signIn();
  const [llm, talking] = [
    await startExternalApp(gateway, { appId: 'llm' }),
    await startExternalApp(gateway, { appId: 'talk-bot' }),
  ];
  started = [llm, talking];
  await knowApp(gateway, llm);
  await knowApp(gateway, talking);
  bot = talking;
  model = new SdkApp(llm);
  await model.register({ id: 'llm:small:core:text2text', task_type: PROMPT });
});
afterEach(async () => {
  for (const { appId, close } of started) {
    await close();
    await gateway.database.query('delete from ex_app where app_id = $1', [appId]);
  }
  await gateway.database.query('delete from processing_task');
  await gateway.inside(JobQueue).forget(WEBHOOK_CALLS, { keyPrefix: '' });
});

const wish = (webhookMethod: unknown, webhookUri: unknown) => ({
  type: PROMPT,
  appId: 'talk-bot',
  input: { input: 'What do cats say?' },
  webhookMethod,
  webhookUri,
});

async function schedule(method: string, uri: string, by = ada.credentials.userId) {
  const data = await new SdkApp(bot)
    .as(by)
    .ocs('POST', '/ocs/v1.php/taskprocessing/schedule', wish(method, uri));
  return (data as { task: SdkTask }).task;
}

async function answer(output: object | null = { output: 'Meow' }): Promise<SdkTask> {
  const next = await model.nextTask(['llm:small:core:text2text'], [PROMPT]);
  return model.reportResult(next?.task.id ?? 0, output, output === null ? 'no cats' : null);
}

const deadLetters = () => gateway.inside(JobQueue).deadLetters(WEBHOOK_CALLS);
const untilDeadLetters = (count: number) =>
  until(`${count} dead letters`, async () => (await deadLetters()).length === count);

describe('a webhook to an app', () => {
  const toItself = ['AppAPI:talk-bot:POST', '/message?reply_to=7&token=abc'] as const;

  it('is called for the user of the task, with the ended task', async () => {
    bot.on('/message', json({}));
    const { id } = await schedule(...toItself);
    await answer();

    const call = await bot.received('/message');

    expect(call).toMatchObject({
      method: 'POST',
      authenticated: true,
      userId: ada.credentials.userId,
    });
    expect(Object.fromEntries(call.query)).toEqual({ reply_to: '7', token: 'abc' });
    expect(JSON.parse(call.body.toString())).toMatchObject({
      task: { id, status: 'STATUS_SUCCESSFUL', output: { output: 'Meow' } },
    });
  });

  it('is called when the task failed or was cancelled, too', async () => {
    bot.on('/message', json({}));
    await schedule(...toItself);
    await answer(null);
    const { id } = await schedule(...toItself);
    await ada.post(`${ROOT}/tasks/${id}/cancel`);

    await bot.received('/message', 2);

    const states = bot
      .requests('/message')
      .map(({ body }) => (JSON.parse(body.toString()) as { task: SdkTask }).task.status);
    expect(states.toSorted()).toEqual(['STATUS_CANCELLED', 'STATUS_FAILED']);
  });

  it('is called once, however often the result is reported', async () => {
    bot.on('/message', json({}));
    const { id } = await schedule(...toItself);
    await answer();
    await model.reportResult(id, { output: 'Woof' });
    await ada.post(`${ROOT}/tasks/${id}/cancel`);
    await bot.received('/message');

    const jobs = await gateway.database.query(
      `select 1 from job.job where name = 'task-webhook' and state in ('created', 'retry')`,
    );
    expect(jobs).toEqual([]);
    expect(bot.requests('/message')).toHaveLength(1);
  });

  it('is refused for another app, and for a user without an app', async () => {
    await expect(schedule('AppAPI:llm:POST', '/init')).rejects.toMatchObject({
      statusCode: 400,
      detail: { message: expect.stringContaining('Only the app itself') },
    });

    const byUser = await ada.post(`${ROOT}/schedule?format=json`, wish(...toItself));
    expect(byUser.status).toBe(400);
  });

  it('becomes a dead letter if the app refuses it, or is disabled meanwhile', async () => {
    bot.on('/message', json({}, 404));
    await schedule(...toItself);
    await answer();
    await bot.received('/message');
    await untilDeadLetters(1);
    await schedule(...toItself);
    await gateway.inside(ExAppsRepository).setEnabled('talk-bot', false);
    await answer();
    await untilDeadLetters(2);

    expect((await deadLetters()).map(({ error }) => error)).toEqual([
      expect.stringContaining('status 404'),
      expect.stringContaining('"talk-bot" is disabled'),
    ]);
    expect(bot.requests('/message')).toHaveLength(1);
  });
});

describe('a webhook by HTTP', () => {
  it.each(['GET', 'POST', 'PUT', 'DELETE'])('is called with %s', async (verb) => {
    bot.on('/done', json({}));
    await schedule(`HTTP:${verb}`, `${bot.baseUrl}/done?page=4`);
    await answer();

    const call = await bot.received('/done');

    expect(call).toMatchObject({ method: verb, authenticated: false });
    expect(JSON.parse(call.body.toString())).toMatchObject({
      task: { output: { output: 'Meow' } },
    });
  });

  it('is called again when the receiver is out of order', async () => {
    bot.on('/done', json({}, 503));
    await schedule('HTTP:POST', `${bot.baseUrl}/done`);
    await answer();
    await bot.received('/done');
    bot.on('/done', json({}));
    await until('a second call', async () => {
      await gateway.database.query(
        `update job.job set start_after = now() where name = 'task-webhook' and state = 'retry'`,
      );
      gateway.inside(JobQueue).wake(WEBHOOK_CALLS);
      return bot.requests('/done').length > 1;
    });

    expect(bot.requests('/done')).toHaveLength(2);
  });

  it('that was given up is listed, sent again and dropped by a command', async () => {
    bot.on('/done', json({}, 404));
    await schedule('HTTP:POST', `${bot.baseUrl}/done`);
    await answer();
    await untilDeadLetters(1);
    const [{ id } = { id: '' }] = await deadLetters();
    const command = (...options: string[]) =>
      runGatefold(gateway, 'app_api:dead-letters', ...options);

    expect((await command()).printed).toMatch(
      new RegExp(`${id} +${WEBHOOK_CALLS.name} .*status 404`),
    );
    await command('--retry', id);
    await bot.received('/done', 2);
    await untilDeadLetters(1);
    const [{ id: again } = { id: '' }] = await deadLetters();
    await command('--drop', again);
    expect(await deadLetters()).toEqual([]);
    await expect(command('--drop', again)).rejects.toThrow(again);
  });

  it('does not follow redirects', async () => {
    bot.on('/done', (_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await schedule('HTTP:POST', `${bot.baseUrl}/done`);
    await answer();

    await untilDeadLetters(1);
    expect(bot.requests('/elsewhere')).toEqual([]);
  });

  it.each([
    ['HTTP:POST', 'http://192.168.1.1/admin'],
    ['HTTP:POST', 'http://10.0.0.1:8080/'],
    ['HTTP:POST', 'http://[::1]/'],
    ['HTTP:POST', 'http://[::ffff:10.0.0.1]/'],
    ['HTTP:POST', 'http://2130706434/'],
    ['HTTP:POST', 'http://169.254.169.254/latest/meta-data'],
    ['HTTP:PATCH', 'https://example.org/'],
    ['HTTP:POST', 'ftp://example.org/'],
    ['HTTP:POST', '/done'],
    ['HTTP:POST', ''],
    ['', 'https://example.org/'],
    ['http:post', 'https://example.org/'],
    ['AppAPI:talk-bot:POST', 'https://example.org/'],
    ['AppAPI::POST', '/done'],
    ['AppAPI:talk-bot:PATCH', '/done'],
  ])('is refused when the task is scheduled: %s %s', async (method, uri) => {
    await expect(schedule(method, uri)).rejects.toMatchObject({
      statusCode: 400,
      detail: { message: expect.any(String) },
    });
  });

  it('is never called at a private address, no matter what the name says', async () => {
    const strict = await startApp({ GATEFOLD_FETCH_ALLOW_PRIVATE: '' });
    try {
      const user = await strict.signIn();
      const refused = await user.post(
        `${ROOT}/schedule?format=json`,
        wish('HTTP:POST', `http://localhost:${new URL(bot.baseUrl).port}/done`),
      );
      expect(toOcs(refused)).toMatchObject({ statuscode: 400 });

      // A name that resolves to another address later passes the check above.
      await knowApp(strict, model.app);
      const llm = new SdkApp(await atOtherHost(model.app, strict));
      await llm.register({ id: 'llm:strict', task_type: PROMPT });
      const { id } = await strict.inside(TaskScheduler).schedule({
        typeId: PROMPT,
        input: { input: 'a' },
        userId: user.credentials.userId,
        consumer: 'spec',
        webhook: { method: 'HTTP:POST', uri: bot.baseUrl.replace('127.0.0.1', 'localhost') },
      });
      await llm.nextTask(['llm:strict'], [PROMPT]);
      await llm.reportResult(id, { output: 'b' });
      const jobs = strict.inside(JobQueue);
      await until('a dead letter', async () => (await jobs.deadLetters(WEBHOOK_CALLS)).length > 0);
      expect(bot.requests('/')).toEqual([]);
    } finally {
      await strict.stop();
    }
  });
});

describe('without a webhook', () => {
  it('nothing is called, and null is no webhook', async () => {
    const data = await new SdkApp(bot)
      .as(ada.credentials.userId)
      .ocs('POST', '/ocs/v1.php/taskprocessing/schedule', wish(null, null));
    const { id } = await answer();

    expect((data as { task: SdkTask }).task.id).toBe(id);
    const jobs = await gateway.database.query(
      `select 1 from job.job where name = 'task-webhook' and data->'payload'->>'taskId' = $1`,
      [String(id)],
    );
    expect(jobs).toEqual([]);
  });
});

/** The same app with the address of another service. */
async function atOtherHost(app: ExternalApp, host: TestApp): Promise<ExternalApp> {
  const same = await startExternalApp(host, { appId: app.appId, secret: app.secret });
  started.push(same);
  return same;
}
