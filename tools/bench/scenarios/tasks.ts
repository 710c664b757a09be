import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Laboratory } from '../laboratory.js';
import { inTurns } from '../measure.js';
import { inParallel, json, send, type Caller } from '../requests.js';
import { NEWS_API, type MeasuredService } from '../service.js';

const APP = { appId: 'bench', secret: 'the secret of the benchmark', version: '1.0.0' };
const TYPE = 'core:text2text';
const POLL_MS = 50;
const PASSES = 2;
const AT_ONCE = 4;
const WANTED = { providerIds: ['bench:one'], taskTypeIds: [TYPE] };

/**
 * Task processing: an app that asks in vain; tasks that are scheduled, claimed, reported on and ended, with
 * few and with many other tasks waiting.
 */
export async function measureTasks(
  laboratory: Laboratory,
  options: { readonly tasks: number; readonly waiting: number },
): Promise<void> {
  const { server, report } = laboratory;
  const { tasks, waiting } = options;
  const most = tasks * PASSES * 10;
  const limits = ['tasks-per-user', 'tasks-per-user-and-two-minutes', 'tasks-kept-per-user'];
  const settings = { GATEFOLD_LIMITS: limits.map((name) => `${name}=${most}`).join(' ') };
  const app = await startBenchApp();
  try {
    await laboratory.withServices(settings, async (services) => {
      report.begin('task processing', `${tasks} tasks, ${AT_ONCE} at once`);
      const workers = new Map<MeasuredService, Caller>();
      for (const service of services) {
        workers.set(service, await registerProvider(service, app.url));
      }
      const workerOf = (service: MeasuredService) => workers.get(service) ?? service;

      const polls = tasks * 5;
      const empty = await inTurns(server, services, PASSES, (service) =>
        inParallel(AT_ONCE, polls, () =>
          send(workerOf(service), 'GET', '/tasks_provider/next', WANTED),
        ),
      );
      report.addCosts('asks in vain', empty, polls * PASSES, 'request');

      const life = (service: MeasuredService) =>
        inParallel(AT_ONCE, tasks, () => liveOneTask(service, workerOf(service)));
      report.addCosts(
        'scheduled, claimed, progress, result',
        await inTurns(server, services, PASSES, life),
        tasks * PASSES,
        'task',
      );
      for (const service of services) {
        await service.query(
          `insert into processing_task (type, user_id, consumer, input, place_at, deadline_at)
           select $1, 'reader-' || n % 500, 'bench', '{"input": "text"}',
                  now() + interval '1 hour', now() + interval '1 day'
             from generate_series(1, $2::int) n`,
          [TYPE, waiting],
        );
        await service.query('analyze processing_task');
      }
      report.addCosts(
        `the same while ${waiting} wait`,
        await inTurns(server, services, PASSES, life),
        tasks * PASSES,
        'task',
      );
    });
  } finally {
    app.stop();
  }
}

/** Four requests: of the consumer, and three of the app. */
async function liveOneTask(service: MeasuredService, worker: Caller): Promise<void> {
  const consumer = { ...worker, credentials: service.credentials };
  const body = { type: TYPE, appId: 'bench', input: { input: 'A text of some length' } };
  await send(consumer, 'POST', '/schedule?format=json', body);
  const { ocs } = await json<{ ocs: { data: { task: { id: number } } } }>(
    worker,
    '/tasks_provider/next?format=json',
    'GET',
    WANTED,
  );
  const path = `/tasks_provider/${ocs.data.task.id}`;
  await send(worker, 'POST', `${path}/progress`, { progress: 0.5 });
  await send(worker, 'POST', `${path}/result`, { output: { output: 'A shorter one' } });
}

/** An app that answers everything, and does nothing. */
async function startBenchApp(): Promise<{ readonly url: string; stop(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end('{"status": "ok", "error": ""}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Registers the app and its provider. @returns the app as a caller of the routes of tasks */
async function registerProvider(service: MeasuredService, baseUrl: string): Promise<Caller> {
  const root = service.api.slice(0, -NEWS_API.length);
  const admin = { ...service, api: `${root}/apps/app_api/apps` };
  const jsonInfo = { id: APP.appId, name: 'Benchmark', version: APP.version };
  const { appId, secret } = APP;
  const registration = { appId, baseUrl, secret, jsonInfo, trustsApps: true };
  await send(admin, 'POST', '/register', registration, { 'ocs-apirequest': 'true' });
  const credentials = {
    'ex-app-id': APP.appId,
    'ex-app-version': APP.version,
    'authorization-app-api': Buffer.from(`:${secret}`).toString('base64'),
  };
  await reportInitialised({ ...service, credentials, api: root });
  await untilEnabled(service);
  const worker = { ...service, credentials, api: `${root}/ocs/v2.php/apps/app_api/api/v1` };
  const nothing = { optional_input_shape: [], optional_output_shape: [] };
  const noValues = {
    input_shape_enum_values: {},
    optional_input_shape_enum_values: {},
    output_shape_enum_values: {},
    optional_output_shape_enum_values: {},
    input_shape_defaults: {},
    optional_input_shape_defaults: {},
  };
  await send(worker, 'POST', '/ai_provider/task_processing', {
    provider: {
      id: 'bench:one',
      name: 'Benchmark',
      task_type: TYPE,
      expected_runtime: 0,
      ...nothing,
      ...noValues,
    },
  });
  return { ...worker, api: `${root}/ocs/v2.php/taskprocessing` };
}

async function reportInitialised(app: Caller): Promise<void> {
  for (;;) {
    try {
      await send(app, 'PUT', '/ocs/v1.php/apps/app_api/ex-app/status', { progress: 100 });
      return;
    } catch {
      // The app may not yet have been asked to initialise.
      await pause(POLL_MS);
    }
  }
}

async function untilEnabled(service: MeasuredService): Promise<void> {
  for (;;) {
    const [app] = await service.query<{ enabled: boolean }>('select enabled from ex_app');
    if (app?.enabled === true) {
      return;
    }
    await pause(POLL_MS);
  }
}
