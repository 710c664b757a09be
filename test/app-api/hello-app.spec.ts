import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExAppsService } from '../../src/app-api/apps/lifecycle/ex-apps.service.js';
import { CommandExecutionService } from '../../src/app-api/commands/command-execution.service.js';
import { FileActionsService } from '../../src/app-api/file-actions/file-actions.service.js';
import { SpeechToTextService } from '../../src/app-api/task-processing/older-tasks/speech-to-text.service.js';
import { NodeEvents, type EventNode } from '../../src/common/ports/node-events.js';
import type { Account } from '../../src/common/ports/user-directory.js';
import { GatewayCaller, toOcs } from '../support/external-app.js';
import { HELLO_APP, startHelloApp, type HelloApp } from '../support/hello-app.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { found } from '../support/until.js';

const { appId: APP_ID, secret: SECRET } = HELLO_APP;
const ADA: Account = { userId: 'ada', displayName: 'Ada', isAdmin: false, lastLoginSeconds: 0 };

let gateway: TestApp;
let hello: HelloApp;
let ada: TestUser;

const line = (pattern: RegExp) => hello.line(pattern);

beforeAll(async () => {
  gateway = await startApp();
  ada = await gateway.signInOnce('ada');
  hello = await startHelloApp(gateway);
});

afterAll(async () => {
  await hello?.stop();
  await gateway?.stop();
});

const service = <Service>(token: abstract new (...args: never[]) => Service): Service =>
  gateway.inside(token);

/** The gateway, called with the app's credentials. */
function announced(path: string, query: Record<string, string>) {
  const caller = new GatewayCaller(gateway.url, {
    'ex-app-id': APP_ID,
    'ex-app-version': '1.0.0',
    'authorization-app-api': Buffer.from(`:${SECRET}`).toString('base64'),
  });
  return caller.ocs('GET', path, { query });
}

const ANNOUNCEMENTS: [string, Record<string, string>][] = [
  ['/api/v1/ui/top-menu', { name: 'hello' }],
  ['/api/v1/ui/initial-state', { type: 'top_menu', name: 'hello', key: 'greeting' }],
  ['/api/v1/ui/script', { type: 'top_menu', name: 'hello', path: 'js/hello' }],
  ['/api/v1/ui/style', { type: 'top_menu', name: 'hello', path: 'css/hello' }],
  ['/api/v1/ui/files-actions-menu', { name: 'describe' }],
  ['/api/v1/ui/settings', { formId: 'hello-settings' }],
  ['/api/v1/ui/settings', { formId: 'hello-administration' }],
  ['/api/v1/occ_command', { name: 'hello-app:greet' }],
  ['/api/v1/ai_provider/translation', { name: 'hello-translation' }],
  ['/api/v1/ai_provider/text_processing', { name: 'hello-free_prompt' }],
  ['/api/v1/ai_provider/text_processing', { name: 'hello-headline' }],
  ['/api/v1/ai_provider/text_processing', { name: 'hello-summary' }],
  ['/api/v1/ai_provider/text_processing', { name: 'hello-topics' }],
  ['/api/v1/ai_provider/speech_to_text', { name: 'hello-ears' }],
  ['/api/v1/ai_provider/task_processing', { name: 'hello-app:echo:hills' }],
  ['/api/v1/events_listener', { eventType: 'node_event' }],
];

const NODE: EventNode = {
  fileId: 7,
  name: 'tide.txt',
  directory: '/',
  etag: 'abc',
  mime: 'text/plain',
  fileType: 'file',
  mtimeSeconds: 1_700_000_000,
  sizeBytes: 12,
  favorite: false,
  permissions: 31,
  userId: 'ada',
  instanceId: 'oc1',
};

describe('the example app', () => {
  it('is enabled after it has initialised', async () => {
    expect(await service(ExAppsService).find(APP_ID)).toMatchObject({
      enabled: true,
      status: { init: 100, action: '', error: '' },
    });
  });

  it.each(ANNOUNCEMENTS)('registers a capability at %s', async (path, query) => {
    expect(await announced(path, query)).toMatchObject({ statuscode: 100 });
  });

  it('is in the menu, and the script of its page is served by the proxy', async () => {
    const menu = toOcs(await ada.get('/ocs/v2.php/core/navigation/apps?format=json'));
    const script = await ada.get(`/index.php/apps/app_api/proxy/${APP_ID}/js/hello.js`);

    expect(menu.data).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'app_api_hello-app_hello' })]),
    );
    expect([script.status, script.text]).toEqual([200, expect.stringContaining('api/greeting')]);
  });

  it('greets the user as configured in the settings', async () => {
    await ada.post('/ocs/v2.php/settings/api/declarative/value', {
      app: APP_ID,
      formId: 'hello-settings',
      fieldId: 'greeting_word',
      value: 'Ahoy',
    });

    const { json } = await ada.get(`/apps/app_api/proxy/${APP_ID}/api/greeting`);

    expect(json).toEqual({ text: 'Ahoy, ada!' });
  });

  it('describes a file and redirects the user to its page', async () => {
    const outcome = await service(FileActionsService).invoke(ADA, APP_ID, 'describe', [NODE]);

    expect(await line(/hello to/)).toBe('hello to tide.txt (12 bytes)');
    expect(outcome.redirect).toMatch(/embedded\/hello-app\/hello\/files\?fileIds=7$/);
  });

  it('has a command that prints word by word', async () => {
    const execution = service(CommandExecutionService);
    const [command] = await execution.list();
    const output: Buffer[] = [];
    if (command !== undefined) {
      const values = { arguments: { who: 'ada' }, options: { loud: true } };
      for await (const chunk of await execution.run(command, values)) {
        output.push(chunk as Buffer);
      }
    }

    expect(Buffer.concat(output).toString()).toBe('HELLO, ADA!\n');
  });

  it('translates', async () => {
    const answer = await ada.post('/ocs/v2.php/translation/translate?format=json', {
      text: 'land ahead',
      toLanguage: 'shout',
    });

    expect(toOcs(answer).data).toEqual({ text: 'LAND AHEAD', from: 'en' });
  });

  it('writes headlines', async () => {
    const scheduled = await ada.post('/ocs/v2.php/textprocessing/schedule?format=json', {
      type: 'headline',
      input: 'The tide is late. Nobody knows why.',
      appId: 'spec',
    });
    const { task } = toOcs(scheduled).data as { task: { id: number } };

    expect(await finishedTask(task.id)).toMatchObject({ status: 3, output: 'The tide is late' });
  });

  it('does tasks of its own type, which it fetches when it is told of them', async () => {
    const scheduled = await ada.post('/ocs/v2.php/taskprocessing/schedule?format=json', {
      type: 'hello-app:echo',
      appId: 'spec',
      input: { text: 'ahoy', times: 2 },
    });
    const { task } = toOcs(scheduled).data as { task: { id: number } };

    expect(await endedTask(task.id)).toMatchObject({
      status: 'STATUS_SUCCESSFUL',
      output: { echo: 'ahoy … ahoy' },
    });
  });

  it('has tasks done for the user of its page', async () => {
    const { json } = await ada.get(`/apps/app_api/proxy/${APP_ID}/api/echo?text=hello`);

    expect(json).toEqual({ text: 'hello … hello … hello' });
  });

  it('transcribes', async () => {
    const recording = { bytes: Buffer.from('gulls'), filename: 'gulls.ogg', mime: 'audio/ogg' };

    expect(await service(SpeechToTextService).transcribe(ADA, recording)).toMatch(/bytes of sound/);
  });

  it('receives new files and notifies their owner', async () => {
    await service(NodeEvents).publish({
      subtype: 'NodeCreatedEvent',
      userId: 'ada',
      target: NODE,
    });
    await line(/NodeCreatedEvent tide\.txt/);

    expect(await notificationOf('Hello, tide.txt!')).toMatchObject({ app: APP_ID, user: 'ada' });
  });

  it('unregisters everything when it is disabled', async () => {
    await gateway.asAdmin().put(`/ocs/v2.php/apps/app_api/api/v1/ex-app/${APP_ID}/enabled`, {
      enabled: 0,
    });
    await line(/unregistered everything/);

    const rows = await gateway.database.query('select kind, key from ex_app_registration');
    expect(rows).toEqual([]);
  });
});

function finishedTask(id: number): Promise<unknown> {
  return found(`the end of task ${id}`, async () => {
    const answer = await ada.get(`/ocs/v2.php/textprocessing/task/${id}?format=json`);
    const { task } = toOcs(answer).data as { task: { status: number } };
    return task.status > 2 ? task : null;
  });
}

function endedTask(id: number): Promise<unknown> {
  return found(`the end of task ${id}`, async () => {
    const answer = await ada.get(`/ocs/v2.php/taskprocessing/task/${id}?format=json`);
    const { task } = toOcs(answer).data as { task: { endedAt: number | null } };
    return task.endedAt === null ? null : task;
  });
}

function notificationOf(subject: string): Promise<unknown> {
  return found(`the notification ${subject}`, async () => {
    const list = await ada.get('/ocs/v2.php/apps/notifications/api/v2/notifications?format=json');
    return (toOcs(list).data as { subject: string }[]).find((entry) => entry.subject === subject);
  });
}
