import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import { AssistanceService } from '../../src/news/assistance/assistance.service.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { provideTasks } from '../support/task-provider.js';
import { found, until } from '../support/until.js';

interface AssistanceJson {
  readonly id: number;
  readonly state: string;
  readonly progress: number | null;
  readonly error: string | null;
  readonly text?: string;
  readonly title?: string;
  readonly body?: string;
}

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let news: NewsClient;
let external: ExternalApp;
let specs = 0;

beforeEach(async () => {
  specs += 1;
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  external = await startExternalApp(app, { appId: `brain-${specs}` });
  await knowApp(app, external);
  app.inside(AssistanceService).patienceSeconds = 0;
});
afterEach(async () => {
  app.inside(AssistanceService).patienceSeconds = 20;
  await external.close();
  await app.database.query('delete from ex_app');
  await app.database.query('delete from processing_task');
});

const LANGUAGES = {
  from: { detect_language: 'Detect language', en_US: 'English', fr: 'French' },
  to: { en_US: 'English', de_DE: 'German', fr: 'French' },
};
/** As translate2 2.3.3 registers itself. */
const ONLY_DETECTS = {
  from: { detect_language: 'Detect language' },
  to: { de_DE: 'German', zh_CN: 'Chinese' } as Record<string, string>,
};
const OCS = { headers: { 'ocs-apirequest': 'true' } };
const TRANSLATE = 'core:text2text:translate';
const SUMMARY = 'core:text2text:summary';

async function anItem(
  body = '<p>The <b>body</b> of it.</p>',
  who = user,
  more: Partial<RssItem> = {},
): Promise<ItemJson> {
  const feed = `/${specs}/feed`;
  const items = [{ title: 'The title', body, ...more }];
  publisher.publish(feed, rss({ title: feed, link: publisher.url('/'), items }));
  const client = new NewsClient(who, 'v1-3');
  await client.subscribe(publisher.url(feed));
  return client.item('The title');
}

const ask = async (item: ItemJson, what: string, body: object = {}, client = news) =>
  (await client.post(`/items/${item.id}/${what}`, body)).json as AssistanceJson;

const state = (item: ItemJson, { id }: AssistanceJson, client = news) =>
  ok<AssistanceJson>(client.get(`/items/${item.id}/assistance/${id}`));

const cancel = (item: ItemJson, { id }: AssistanceJson, client = news) =>
  client.delete(`/items/${item.id}/assistance/${id}`);

/** The request, as soon as it has progress. */
const advanced = (item: ItemJson, begun: AssistanceJson) =>
  found('the progress of a request', async () => {
    const now = await state(item, begun);
    return now.progress === null ? null : now;
  });

/** The request, as soon as it has ended. */
const ended = (item: ItemJson, begun: AssistanceJson) =>
  found('the end of a request', async () => {
    const now = await state(item, begun);
    return now.state === 'running' ? null : now;
  });

/** A provider of the older kind, which the gateway calls; it answers in upper case. */
async function olderTranslator(): Promise<ExternalApp> {
  const older = await startExternalApp(app, { appId: `older-${specs}` });
  await knowApp(app, older);
  await app.inside(RegistrationsRepository).save(older.appId, 'translation', 'it', {
    name: 'it',
    displayName: 'It',
    actionHandler: 'work',
    fromLanguages: { en_US: 'American', it: 'Italian' },
    toLanguages: { de_DE: 'Deutsch', it: 'Italian' },
    actionDetectLang: '',
  });
  older.on('/work', async (request, response) => {
    json({})(request, response);
    const { task_id: taskId, text } = JSON.parse(request.body.toString()) as {
      task_id: number;
      text: string;
    };
    const body = { taskId, result: text.toUpperCase(), error: '' };
    await older.as().ocs('PUT', '/api/v1/ai_provider/translation', { json: body });
  });
  return older;
}

describe('what is offered', () => {
  it('is that of task processing and of older providers; the enum names the languages', async () => {
    await provideTasks(external, [TRANSLATE, SUMMARY, 'core:audio2text'], LANGUAGES);
    const older = await olderTranslator();

    const offer = await ok<{
      translate: { languages: Record<string, string>[]; detects: boolean };
      textTasks: string[];
      transcribe: boolean;
    }>(news.get('/assistance'));

    expect(offer).toMatchObject({ textTasks: ['summary'], transcribe: true });
    expect(offer.translate.detects).toBe(true);
    const pairs = offer.translate.languages.map(({ from, to }) => `${from} ${to}`);
    expect(pairs).toEqual([
      'en_US de_DE',
      'en_US fr',
      'fr en_US',
      'fr de_DE',
      'en_US it',
      'it de_DE',
    ]);
    expect(offer.translate.languages[0]).toEqual({
      from: 'en_US',
      fromLabel: 'English',
      to: 'de_DE',
      toLabel: 'German',
    });
    await older.close();
  });

  it('names the targets of a provider that only detects the source, to Nextcloud clients too', async () => {
    const brain = await provideTasks(external, [TRANSLATE], ONLY_DETECTS);
    const pairs = ['de_DE', 'zh_CN'].map((to) => ({
      from: 'detect_language',
      fromLabel: 'Detect language',
      to,
      toLabel: ONLY_DETECTS.to[to],
    }));

    const { translate } = await ok<{ translate: object }>(news.get('/assistance'));
    const ocs = await user.get('/ocs/v2.php/translation/languages?format=json', OCS);

    expect(translate).toEqual({ languages: pairs, detects: true });
    expect(ocs.json).toMatchObject({
      ocs: { data: { languages: pairs, languageDetection: true } },
    });

    const translated = user.call('POST', '/ocs/v2.php/translation/translate?format=json', {
      ...OCS,
      json: { text: 'Hello', fromLanguage: 'detect_language', toLanguage: 'zh_CN' },
    });
    const task = await brain.awaitTask();
    await brain.succeed(task, { output: '你好' });

    expect(task.input).toMatchObject({
      origin_language: 'detect_language',
      target_language: 'zh_CN',
    });
    expect((await translated).json).toMatchObject({ ocs: { data: { text: '你好', from: null } } });
  });

  it('names each of hundreds of languages without listing all pairs', async () => {
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`l${n}`, `L ${n}`]));
    await provideTasks(external, [TRANSLATE], { from: many, to: many });

    const { translate } = await ok<{ translate: { languages: { from: string; to: string }[] } }>(
      news.get('/assistance'),
    );

    expect(translate.languages.length).toBeLessThan(2000);
    expect(new Set(translate.languages.map(({ from }) => from)).size).toBe(400);
    expect(new Set(translate.languages.map(({ to }) => to)).size).toBe(400);
  });
});

describe('a request by task processing', () => {
  it('is translated in the language that the provider calls otherwise', async () => {
    const brain = await provideTasks(external, [TRANSLATE], LANGUAGES);
    const item = await anItem();

    const begun = await ask(item, 'translate', { to: 'de' });
    const task = await brain.awaitTask();
    await brain.succeed(task, { output: String(task.input['input']).toUpperCase() });

    expect(task).toMatchObject({
      userId: user.credentials.userId,
      input: { origin_language: 'detect_language', target_language: 'de_DE' },
    });
    expect(await ended(item, begun)).toMatchObject({
      state: 'done',
      title: 'THE TITLE',
      body: '<p>THE <b>BODY</b> OF IT.</p>',
    });
  });

  it('shows the progress over the batches of a long article', async () => {
    const brain = await provideTasks(external, [TRANSLATE], LANGUAGES);
    const item = await anItem(
      Array.from({ length: 8 }, (_, n) => `<p>${`word${n} `.repeat(250)}</p>`).join(''),
    );
    const begun = await ask(item, 'translate', { to: 'de', from: 'en' });
    expect(begun).toMatchObject({ state: 'running', progress: null });

    const first = await brain.awaitTask();
    await brain.progress(first, 0.5);
    const during = await advanced(item, begun);
    for (let task = first; ; task = await brain.awaitTask()) {
      await brain.succeed(task, { output: String(task.input['input']) });
      if (String(task.input['input']).includes('word7')) {
        break;
      }
    }

    expect(during.progress).toBeGreaterThan(3);
    expect(during.progress).toBeLessThan(25);
    expect((await ended(item, begun)).state).toBe('done');
  });

  it('fails with the message for users, and is not tried by the older provider', async () => {
    const older = await olderTranslator();
    const brain = await provideTasks(external, [TRANSLATE], LANGUAGES);
    const item = await anItem();

    const begun = await ask(item, 'translate', { to: 'de_DE', from: 'en_US' });
    await brain.fail(await brain.awaitTask(), 'The model is on fire.');

    expect(await ended(item, begun)).toMatchObject({
      state: 'failed',
      error: 'The model is on fire.',
    });
    expect(older.requests('/work')).toEqual([]);
    await older.close();
  });

  it('goes to the older provider for languages that task processing has not', async () => {
    const older = await olderTranslator();
    const brain = await provideTasks(external, [TRANSLATE], LANGUAGES);
    const item = await anItem();

    const begun = await ask(item, 'translate', { to: 'de_DE', from: 'it' });

    expect(await ended(item, begun)).toMatchObject({ title: 'THE TITLE' });
    expect(await brain.next()).toBeNull();
    await older.close();
  });

  it('hands a recording over as a file of the task', async () => {
    const brain = await provideTasks(external, ['core:audio2text']);
    publisher.publish(`/${specs}/episode.mp3`, Buffer.from('the sound'), {
      contentType: 'audio/mpeg',
    });
    const url = publisher.url(`/${specs}/episode.mp3`);
    const item = await anItem('', user, { enclosure: { url, type: 'audio/mpeg' } });

    const begun = await ask(item, 'transcript');
    const task = await brain.awaitTask();
    const path = `/ocs/v2.php/taskprocessing/tasks_provider/${task.id}/file/${task.input['input']}`;
    const sound = await external.as().call('GET', path);
    await brain.succeed(task, { output: `It says: ${sound.text}` });

    expect(await ended(item, begun)).toMatchObject({ text: 'It says: the sound' });
  });

  it('is cancelled by its maker, who then may ask again', async () => {
    const brain = await provideTasks(external, [SUMMARY]);
    const item = await anItem();
    const begun = await ask(item, 'summary');
    const task = await brain.awaitTask();

    expect((await cancel(item, begun)).json).toMatchObject({
      state: 'failed',
      error: 'The request was cancelled.',
    });
    await until('the cancellation to reach the provider', async () => {
      const { data } = await brain.progress(task, 0.5);
      return (data as { task: { status: string } }).task.status === 'STATUS_CANCELLED';
    });
    await brain.succeed(task, { output: 'Too late.' });

    const anew = await ask(item, 'summary');
    await brain.succeed(await brain.awaitTask(), { output: 'In time.' });
    expect(await ended(item, anew)).toMatchObject({ text: 'In time.' });
    expect((await cancel(item, anew)).json).toMatchObject({ state: 'done', text: 'In time.' });
  });

  it('is not cancelled by others who have the item, and not seen by strangers', async () => {
    const brain = await provideTasks(external, [SUMMARY]);
    const item = await anItem();
    const begun = await ask(item, 'summary');
    const other = new NewsClient(await app.signIn(), 'v1-3');
    await other.subscribe(publisher.url(`/${specs}/feed`));
    const stranger = new NewsClient(await app.signIn(), 'v1-3');

    const othersItem = await other.item('The title');
    expect((await cancel(othersItem, begun, other)).status).toBe(403);
    expect((await cancel(item, begun, stranger)).status).toBe(404);
    expect((await cancel(item, { ...begun, id: 999_999 })).status).toBe(404);

    await brain.succeed(await brain.awaitTask(), { output: 'Short.' });
    expect(await ended(item, begun)).toMatchObject({ text: 'Short.' });
  });
});
