import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { readExAppManifest } from '../../src/app-api/apps/manifest/ex-app-manifest.js';
import { NewTalkBot } from '../../src/app-api/bots/talk-bots.controller.js';
import {
  INITIAL_STATE,
  SCRIPT,
  STYLE,
  TOP_MENU,
} from '../../src/app-api/capabilities/page-resources.js';
import { CommandExecutionService } from '../../src/app-api/commands/command-execution.service.js';
import { runExAppCommand } from '../../src/app-api/commands/ex-app-commands.js';
import { OCC_COMMAND } from '../../src/app-api/commands/occ-command.js';
import { EVENTS_LISTENER } from '../../src/app-api/events/events-listener.js';
import { FILE_ACTION } from '../../src/app-api/file-actions/file-action.js';
import { Notification } from '../../src/app-api/notifications/app-notifications.controller.js';
import { SETTINGS_FORM } from '../../src/app-api/settings-forms/settings-form.js';
import {
  SPEECH_TO_TEXT_PROVIDER,
  TEXT_PROCESSING_PROVIDER,
  TRANSLATION_PROVIDER,
} from '../../src/app-api/task-processing/older-tasks/providers.js';
import { TASK_PROVIDER } from '../../src/app-api/task-processing/providers/task-provider.js';
import { SetValue } from '../../src/app-api/values/values.controller.js';
import type { WithApp } from '../../src/common/command-line/with-app.js';
import { inputFields, type JsonSchema } from '../../src/common/contracts/json-schema.js';
import {
  blocksOf,
  examplesIn,
  fieldsIn,
  readDocument,
  sectionsOf,
  type ApiExample,
  type DocumentedField,
} from '../support/documents/documents.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../support/external-app.js';
import { freePort } from '../support/free-port.js';
import { sharedService } from '../support/shared-service.js';
import type { TestUser } from '../support/start-app.js';
import { PROCESS_SECONDS, until, within } from '../support/until.js';

/* The examples and tables of docs/app-api.md and docs/app-api-tasks.md. */

const FIRST = 'docs/app-api.md';
const SECTIONS = new Map([...sectionsOf(FIRST), ...sectionsOf('docs/app-api-tasks.md')]);
const EXAMPLES = [FIRST, 'docs/app-api-tasks.md'].flatMap((path) => examplesIn(readDocument(path)));

const blockOf = (wanted: string) => blocksOf(FIRST).find(({ kind }) => kind === wanted)?.text ?? '';

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  '/api/v1/ui/top-menu': TOP_MENU.input,
  '/api/v1/ui/initial-state': INITIAL_STATE.input,
  '/api/v1/ui/script': SCRIPT.input,
  '/api/v1/ui/style': STYLE.input,
  '/api/v2/ui/files-actions-menu': FILE_ACTION.input,
  '/api/v1/occ_command': OCC_COMMAND.input,
  '/api/v1/ui/settings': SETTINGS_FORM.input,
  '/api/v1/events_listener': EVENTS_LISTENER.input,
  '/api/v1/ai_provider/task_processing': TASK_PROVIDER.input,
  '/api/v1/ai_provider/translation': TRANSLATION_PROVIDER.input,
  '/api/v1/ai_provider/text_processing': TEXT_PROCESSING_PROVIDER.input,
  '/api/v1/ai_provider/speech_to_text': SPEECH_TO_TEXT_PROVIDER.input,
  '/api/v1/talk_bot': NewTalkBot,
  '/api/v1/notification': Notification,
  '/api/v1/ex-app/config': SetValue,
};

/** Other in each run. */
const CHANGING =
  /^(id|secret|datetime|etag|fileId|userId|user|instanceId|mtime|lastUpdated|\w+At|task_id|max_execution_time)$/;

/** With the types of the values that are others in each run. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (key, one: unknown) => (CHANGING.test(key) ? typeof one : one)),
  );

const { app: gateway } = await sharedService();
let tides: ExternalApp;
let ada: TestUser;
/** The process of the first block of code, and its port. */
let firstApp: ChildProcess;
let port: number;

beforeAll(async () => {
  const program = blockOf('js');
  port = await freePort();
  firstApp = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: {
      APP_ID: 'first-app',
      APP_SECRET: 'sixteen letters: long',
      APP_PORT: String(port),
      NEXTCLOUD_URL: gateway.url,
    },
    stdio: 'inherit',
  });
  ada = await gateway.signIn();
  tides = await startExternalApp(gateway, { appId: 'tides' });
  await knowApp(gateway, tides);
});
afterAll(async () => {
  const gone = once(firstApp, 'exit');
  firstApp.kill();
  await within('the end of the app of the document', gone, PROCESS_SECONDS);
  await tides.close();
  await gateway.asAdmin().post('/apps/app_api/apps/uninstall/tides', { force: true });
});

const withApp: WithApp = (work) => work(gateway.inside);

/** The output of a command of an app. */
async function run(...words: string[]): Promise<string> {
  const output = Object.assign(new PassThrough(), { isTTY: false });
  const printed = text(output);
  await runExAppCommand(new Command().exitOverride(), withApp, words, output).finally(() =>
    output.end(),
  );
  return printed;
}

/** Sends an example as the app, on behalf of a user. */
async function send({ method, path, json: body }: ApiExample, change: object = {}) {
  const root = path.startsWith('/api/') ? '/ocs/v2.php/apps/app_api' : '/ocs/v2.php';
  const answer = await tides.as(ada.credentials?.userId).call(method, root + path, {
    ...(body !== undefined && { json: { ...body, ...change } }),
  });
  return toOcs(answer);
}

const example = (method: string, path: string, toApp = false): ApiExample => {
  const found = EXAMPLES.find(
    (one) => one.toApp === toApp && one.method === method && one.path.startsWith(path),
  );
  if (found === undefined) {
    throw new Error(`No example of ${method} ${path}`);
  }
  return found;
};

/** The bodies that the app got and that the document shows, for a handler of an example. */
async function told(path: string) {
  const { method, body } = await tides.received(path);
  const documented = EXAMPLES.find((one) => one.toApp && one.path === path);
  return {
    got: [method, comparable(JSON.parse(String(body)))],
    documented: [documented?.method, comparable(documented?.json)],
  };
}

describe('docs/app-api.md', () => {
  const REGISTERED = EXAMPLES.filter(
    ({ toApp, path, method }) => !toApp && path.startsWith('/api/') && method !== 'PUT',
  );

  it('shows each request with its answer', async () => {
    const answers: unknown[] = [];
    for (const one of REGISTERED) {
      const { statuscode, data } = await send(one);
      answers.push([one.method, one.path, statuscode, comparable(data)]);
    }

    expect(answers).toEqual(
      REGISTERED.map(({ method, path, answer }) => [method, path, 200, comparable(answer ?? [])]),
    );
  });

  it('shows what the app is told of files', async () => {
    tides.on('/file-changed', json({}));
    tides.on('/measure', json(example('POST', '/measure', true).answer));
    await send(example('POST', '/api/v1/events_listener'));
    const harbour = `/remote.php/dav/files/${ada.credentials?.userId}/Harbour`;
    await ada.call('MKCOL', harbour);

    await ada.call('PUT', `${harbour}/tide.csv`, {
      body: 'low, 6:00 h\n',
    });
    await until('the event of the file', async () => tides.requests('/file-changed').length > 1);
    const event = tides.requests('/file-changed').find(({ body }) => body.includes('tide.csv'));
    const { event_data: data } = JSON.parse(String(event?.body)) as {
      event_data: { target: { fileId: number } };
    };
    const { data: redirected } = toOcs(
      await ada.post('/ocs/v2.php/apps/app_api/api/v1/files-actions/tides/measure?format=json', {
        fileIds: [data.target.fileId],
      }),
    );

    const { got, documented } = await told('/measure');
    expect(got).toEqual(documented);
    expect(redirected).toMatchObject({ redirect: expect.stringMatching(/tides\/today\/measured/) });
    expect(comparable(JSON.parse(String(event?.body)))).toEqual(
      comparable(example('POST', '/file-changed', true).json),
    );
  });

  it('shows what a command sends', async () => {
    tides.on('/greet', (_request, response) => void response.end('Ahoy\n'));

    const printed = await run('tides:greet', 'ada', '--loud');

    const { got, documented } = await told('/greet');
    expect(got).toEqual(documented);
    expect(printed).toBe('Ahoy\n');
  });

  it('shows what older providers are sent, and how they report', async () => {
    tides.on('/detect', json(example('POST', '/detect', true).answer));
    tides.on('/translate', json({}));
    tides.on('/shorten', json({}));

    const translated = ada.post('/ocs/v2.php/translation/translate?format=json', {
      text: 'Good morning',
      toLanguage: 'sea',
    });
    const { body } = await tides.received('/translate');
    const { task_id: taskId } = JSON.parse(String(body)) as { task_id: number };
    await send(example('PUT', '/api/v1/ai_provider/translation'), { taskId });
    await ada.post('/ocs/v2.php/textprocessing/schedule?format=json', {
      input: 'A long text',
      type: 'summary',
      appId: 'me',
    });

    const all = await Promise.all(['/detect', '/translate', '/shorten'].map(told));
    expect(all.map(({ got }) => got)).toEqual(all.map(({ documented }) => documented));
    expect(toOcs(await translated).data).toMatchObject({ text: 'Ahoy' });
  });

  it('shows how a task is fetched and reported', async () => {
    const forecast = '/ocs/v2.php/taskprocessing/schedule?format=json';
    const wanted = { type: 'tides:forecast', appId: 'me', input: { place: 'Husum' } };
    const { data } = toOcs(await ada.post(forecast, wanted));
    const { id } = (data as { task: { id: number } }).task;
    const of = (method: string, what: string) => {
      const one = example(method, `/taskprocessing/tasks_provider/${what}`);
      return { ...one, path: one.path.replace('{id}', String(id)) };
    };

    const next = await send(of('GET', 'next'));
    const progress = await send(of('POST', '{id}/progress'));
    const result = await send(of('POST', '{id}/result'));

    expect(comparable(next.data)).toEqual(comparable(of('GET', 'next').answer));
    expect(progress.data).toMatchObject({ task: { progress: 0.5 } });
    expect(result.data).toMatchObject({
      task: { status: 'STATUS_SUCCESSFUL', output: { tide: "six o'clock" } },
    });
  });

  it('shows a declaration of routes', () => {
    const info = blockOf('json');

    expect(readExAppManifest({ appId: 'tides', json: JSON.parse(info) }).routes).toEqual([
      {
        url: '^(js|css|img)/.*',
        verb: 'GET',
        accessLevel: 1,
        headersToExclude: ['cookie'],
        bruteforceStatuses: [401],
      },
    ]);
  });

  it('begins with a whole app, which has a command', async () => {
    const admin = gateway.asAdmin();
    const { status } = await admin.post('/apps/app_api/apps/register', {
      appId: 'first-app',
      secret: 'sixteen letters: long',
      baseUrl: `http://127.0.0.1:${port}`,
    });
    await until('the command of the app of the document', async () => {
      const commands = await gateway.inside(CommandExecutionService).list();
      return commands.some(({ fields }) => fields.name === 'first-app:next');
    });

    const printed = await run('first-app:next', 'Cuxhaven');
    await admin.post('/apps/app_api/apps/disable/first-app');
    const removed = await admin.post('/apps/app_api/apps/uninstall/first-app', { force: true });

    expect(printed).toBe("High tide at Cuxhaven: six o'clock.\n");
    expect([status, removed.status]).toEqual([200, 200]);
  });
});

describe('The tables of fields', () => {
  const WITH_FIELDS = [...SECTIONS].filter(([, section]) => fieldsIn(section).length > 0);
  const schemaOf = ({ method, path }: ApiExample) =>
    method === 'POST' ? SCHEMAS[path] : undefined;

  it.each(WITH_FIELDS)('of "%s" have the limits and defaults of the program', (_title, section) => {
    const faults = examplesIn(section).flatMap((one) => {
      const schema = schemaOf(one);
      return schema === undefined
        ? []
        : fieldsIn(section).flatMap((field) => faultsOf(schema, one.json, field));
    });

    expect(faults).toEqual([]);
  });

  it('name all fields', () => {
    const missing = [...SECTIONS.values()].flatMap((section) => {
      const named = new Set(fieldsIn(section).map(({ path }) => path));
      return examplesIn(section)
        .flatMap((one) => schemaOf(one) ?? [])
        .flatMap((schema) => Object.entries(inputFields(schema).properties))
        .flatMap(([name, schema]) => leavesOf(name, schema))
        .filter((path) => !named.has(path) && path !== 'formScheme');
    });
    const checked = EXAMPLES.filter((one) => schemaOf(one) !== undefined);

    expect(new Set(checked.map(({ path }) => path))).toEqual(new Set(Object.keys(SCHEMAS)));
    expect(missing).toEqual([]);
  });
});

/** The fields of an object in an object by their paths; lists and maps are one field. */
function leavesOf(path: string, schema: JsonSchema): string[] {
  const alternatives = [schema, ...((schema['anyOf'] ?? []) as JsonSchema[])];
  const properties = alternatives.find((one) => 'properties' in one)?.['properties'] as
    | Readonly<Record<string, JsonSchema>>
    | undefined;
  return properties === undefined
    ? [path]
    : Object.entries(properties).flatMap(([name, inner]) => leavesOf(`${path}.${name}`, inner));
}

/** What the table says of a field of the example, and the program does not do. */
function faultsOf(schema: z.ZodType, whole: unknown, field: DocumentedField): string[] {
  const keys = field.path.replaceAll('[]', '.0').split('.');
  const valueAt = (value: unknown) =>
    keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
  const isAccepted = (value: unknown) => schema.safeParse(changed(whole, keys, value)).success;
  if (valueAt(whole) === undefined) {
    return [];
  }
  const faults: string[] = [];
  const [, limit] = /^(?:name|text|path), (\d+)/.exec(field.type) ?? [];
  if (limit !== undefined && !isAccepted('x'.repeat(Number(limit)))) {
    faults.push(`${field.path}: ${limit} characters are refused`);
  }
  if (limit !== undefined && isAccepted('x'.repeat(Number(limit) + 1))) {
    faults.push(`${field.path}: more than ${limit} characters are accepted`);
  }
  if (field.type.startsWith('name') && isAccepted('')) {
    faults.push(`${field.path}: an empty name is accepted`);
  }
  const { success, data } = schema.safeParse(changed(whole, keys, undefined));
  if (success !== (field.fallback !== undefined)) {
    faults.push(`${field.path}: is ${success ? 'not ' : ''}required`);
  }
  const [, fallback] = /^`(.*?)`/.exec(field.fallback ?? '') ?? [];
  const used = success ? valueAt(data) : undefined;
  const plain = typeof used === 'boolean' ? Number(used) : used;
  if (fallback !== undefined && used !== undefined && JSON.stringify(plain) !== fallback) {
    faults.push(`${field.path}: the default is ${JSON.stringify(plain)}`);
  }
  return faults;
}

/** A copy with another value at a path. */
function changed(whole: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  if (Array.isArray(whole)) {
    return whole.map((one, n) => (String(n) === key ? changed(one, rest, value) : one));
  }
  const object = whole as Record<string, unknown>;
  return { ...object, [key]: rest.length === 0 ? value : changed(object[key], rest, value) };
}
