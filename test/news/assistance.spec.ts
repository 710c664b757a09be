import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RegistrationKind } from '../../src/app-api/capabilities/capability.js';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import { Config } from '../../src/common/config/config.js';
import { AccountDeletionHooks } from '../../src/common/ports/hooks.js';
import { AssistanceService } from '../../src/news/assistance/assistance.service.js';
import {
  json,
  knowApp,
  startExternalApp,
  type ExternalApp,
  type ReceivedRequest,
} from '../support/external-app.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { itLong } from '../support/long.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { startApp, type TestUser } from '../support/start-app.js';
import { found } from '../support/until.js';

interface AssistanceJson {
  readonly id: number;
  readonly kind: string;
  readonly state: string;
  readonly error: string | null;
  readonly title?: string;
  readonly body?: string;
  readonly from?: string | null;
  readonly text?: string;
}

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let news: NewsClient;
let path: string;
let specs = 0;
const started: ExternalApp[] = [];

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}`;
});
afterEach(async () => {
  assistance().patienceSeconds = 20;
  for (const { appId, close } of started.splice(0)) {
    await close();
    await app.database.query('delete from ex_app where app_id = $1', [appId]);
  }
});

const assistance = (at = app) => at.inside(AssistanceService);

/** Registers an app with one provider, whose results a function computes from the request. */
async function provider(
  kind: RegistrationKind,
  fields: object,
  work: (request: ReceivedRequest, taskId: number) => Promise<object | null> | object | null,
): Promise<ExternalApp> {
  const external = await startExternalApp(app, { appId: `app-${(specs += 1)}` });
  await knowApp(app, external);
  started.push(external);
  await app.inside(RegistrationsRepository).save(external.appId, kind, 'it', {
    name: 'it',
    displayName: 'It',
    actionHandler: 'work',
    ...fields,
  });
  external.on('/work', async (request, response) => {
    json({})(request, response);
    const taskId = Number(
      kind === 'speech_to_text'
        ? request.query.get('task_id')
        : (JSON.parse(request.body.toString()) as { task_id: number }).task_id,
    );
    const report = await work(request, taskId);
    if (report !== null) {
      const body = { taskId, result: '', error: '', ...report };
      await external.as().ocs('PUT', `/api/v1/ai_provider/${kind}`, { json: body });
    }
  });
  return external;
}

const sent = ({ body }: ReceivedRequest) => JSON.parse(body.toString()) as Record<string, string>;

const LANGUAGES = {
  fromLanguages: { en: 'English', de: 'German' },
  toLanguages: { en: 'English', de: 'German' },
  actionDetectLang: '',
};

/** Translates to upper case. */
const translator = (fields: object = {}) =>
  provider('translation', { ...LANGUAGES, ...fields }, (request) => ({
    result: sent(request)['text']?.toUpperCase(),
  }));

const writer = (taskType = 'summary') =>
  provider('text_processing', { taskType }, (request) => ({
    result: `made of: ${sent(request)['prompt']}`,
  }));

const listener = () =>
  provider('speech_to_text', {}, (request) => ({
    result: `${request.body.includes('the sound') ? 'words' : 'noise'} for ${request.userId}`,
  }));

async function anItem(item: Partial<RssItem> = {}, who = user): Promise<ItemJson> {
  const items = [{ title: 'The title', body: '<p>The <b>body</b> of it.</p>', ...item }];
  publisher.publish(`${path}/feed`, rss({ title: path, link: publisher.url('/'), items }));
  const client = new NewsClient(who, 'v1-3');
  await client.subscribe(publisher.url(`${path}/feed`));
  const [created] = await client.items();
  if (created === undefined) {
    throw new Error('The feed has no item');
  }
  return created;
}

async function sameItemOf(other: TestUser): Promise<ItemJson> {
  const client = new NewsClient(other, 'v1-3');
  await client.subscribe(publisher.url(`${path}/feed`));
  return client.item('The title');
}

const ask = (item: ItemJson, what: string, body: object = {}, client = news) =>
  client.post(`/items/${item.id}/${what}`, body);
const asked = (item: ItemJson, what: string, body: object = {}, client = news) =>
  ok<AssistanceJson>(ask(item, what, body, client));
const messageOf = async (answer: ReturnType<typeof ask>) => {
  const { status, json: body } = await answer;
  return [status, (body as { message: string }).message];
};

/** Polls until the request is finished. */
function finished(item: ItemJson, id: number, client = news): Promise<AssistanceJson> {
  return found(`the end of request ${id}`, async () => {
    const state = await ok<AssistanceJson>(client.get(`/items/${item.id}/assistance/${id}`));
    return state.state === 'running' ? null : state;
  });
}

describe('available assistance', () => {
  it('lists what external apps currently offer', async () => {
    expect(await ok(news.get('/assistance'))).toEqual({
      translate: { languages: [], detects: false },
      textTasks: [],
      transcribe: false,
    });

    await translator({ actionDetectLang: 'detect' });
    await writer('summary');
    await writer('free_prompt');
    await listener();

    expect(await ok(news.get('/assistance'))).toEqual({
      translate: {
        languages: [
          { from: 'en', fromLabel: 'English', to: 'de', toLabel: 'German' },
          { from: 'de', fromLabel: 'German', to: 'en', toLabel: 'English' },
        ],
        detects: true,
      },
      textTasks: ['summary'],
      transcribe: true,
    });
  });

  it('requires credentials, as do requests for it', async () => {
    const item = await anItem();
    const guest = new NewsClient(app.asStranger(), 'v1-3');

    expect((await guest.get('/assistance')).status).toBe(401);
    for (const what of ['translate', 'summary', 'topics', 'headline', 'transcript']) {
      expect((await ask(item, what, { to: 'de' }, guest)).status).toBe(401);
    }
    expect((await guest.get(`/items/${item.id}/assistance/1`)).status).toBe(401);
  });
});

describe('a translation', () => {
  it('translates the text of title and body, and preserves the markup', async () => {
    const external = await translator();
    const item = await anItem({
      body: '<p>One <a href="https://a.example/x?a=1&amp;b=2">two</a>.</p><pre>three</pre><img src="https://a.example/i.png" alt="four">',
    });

    const translated = await asked(item, 'translate', { from: 'en', to: 'de' });

    expect(translated).toMatchObject({
      kind: 'translation',
      state: 'done',
      error: null,
      title: 'THE TITLE',
      from: 'en',
      to: 'de',
    });
    expect(translated.body).toBe(item.body.replace('One', 'ONE').replace('two', 'TWO'));
    const request = await external.received('/work');
    expect(request).toMatchObject({ userId: user.credentials.userId });
    expect(sent(request)).toMatchObject({
      from_language: 'en',
      to_language: 'de',
      text: 'The title\nOne\ntwo',
    });
  });

  it('detects the language once, if a provider can', async () => {
    const external = await translator({ actionDetectLang: 'detect' });
    external.on('/detect', json({ detected_lang: 'en' }));
    const paragraphs = Array.from({ length: 60 }, (_, n) => `<p>paragraph ${n}</p>`).join('');

    const translated = await asked(await anItem({ body: paragraphs }), 'translate', { to: 'de' });

    expect(translated).toMatchObject({ from: 'en', to: 'de' });
    expect(translated.body).toContain('<p>PARAGRAPH 59</p>');
    expect(external.requests('/detect')).toHaveLength(1);
    expect(external.requests('/work')).toHaveLength(2);
  });

  it('escapes markup in the result of a provider', async () => {
    await provider('translation', LANGUAGES, () => ({
      result: '<script>steal()</script>\n<img src=x onerror=steal()>\n</p><iframe src=//x>',
    }));
    const item = await anItem({ body: '<p>The <b>body</b></p>' });

    const translated = await asked(item, 'translate', { from: 'en', to: 'de' });

    expect(translated.body).not.toMatch(/<(?!\/?(p|b)>)/);
    expect(translated.body).toContain('&lt;img');
  });

  it('is stored and shared: other users with the article get it at once, without a request to a provider', async () => {
    const item = await anItem();
    const external = await translator();
    const first = await asked(item, 'translate', { from: 'en', to: 'de' });
    const other = await app.signIn();
    const otherItem = await sameItemOf(other);
    await external.close();
    await app.database.query('delete from ex_app');

    const again = await asked(item, 'translate', { from: 'en', to: 'de' });
    const others = await asked(
      otherItem,
      'translate',
      { from: 'en', to: 'de' },
      new NewsClient(other, 'v1-3'),
    );

    expect(again).toEqual(first);
    expect(others).toEqual(first);
    expect(external.requests('/work')).toHaveLength(1);
  });

  it('is requested again for another language, and after the article has changed', async () => {
    const external = await translator();
    const item = await anItem({ guid: 'one' });
    await asked(item, 'translate', { from: 'en', to: 'de' });
    await asked(item, 'translate', { from: 'de', to: 'en' });
    expect(external.requests('/work')).toHaveLength(2);

    const changed = [{ title: 'The title', guid: 'one', body: '<p>Other words</p>' }];
    publisher.publish(`${path}/feed`, rss({ title: path, items: changed }));
    await new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, item.feedId);
    const anew = await asked(item, 'translate', { from: 'en', to: 'de' });

    expect(anew.body).toBe('<p>OTHER WORDS</p>');
  });

  it('is refused for languages without a provider', async () => {
    const item = await anItem();
    const wish = (body: object) => messageOf(ask(item, 'translate', body));

    expect(await wish({ to: 'de' })).toEqual([503, 'No external app translates to "de".']);
    await translator();
    expect(await wish({ from: 'fr', to: 'de' })).toEqual([
      503,
      'No external app translates from "fr" to "de".',
    ]);
    expect((await wish({ from: 'de', to: 'de' }))[0]).toBe(422);
    expect((await wish({ to: 'de>en' }))[0]).toBe(422);
    expect((await wish({}))[0]).toBe(422);
  });
});

describe('a text about an item', () => {
  it.each(['summary', 'topics', 'headline'])('%s: is made of the visible text', async (kind) => {
    const external = await writer(kind);
    const item = await anItem();

    const made = await asked(item, kind);

    expect(made).toMatchObject({
      kind,
      state: 'done',
      text: 'made of: The title\n\nThe body of it.',
    });
    expect(await external.received('/work')).toMatchObject({ userId: user.credentials.userId });
  });

  it('is made of a limited number of characters', async () => {
    const external = await writer();
    await asked(await anItem({ body: `<p>${'word '.repeat(10_000)}</p>` }), 'summary');

    expect(sent(await external.received('/work'))['prompt']).toHaveLength(20_000);
  });

  it('is refused for an item without text', async () => {
    await writer();

    expect((await ask(await anItem({ title: '42', body: '<hr>' }), 'summary')).status).toBe(422);
  });

  it('is refused without a provider for its kind', async () => {
    await writer('topics');

    expect(await messageOf(ask(await anItem(), 'summary'))).toEqual([
      503,
      'No external app offers this kind of text: summary.',
    ]);
  });

  it('fails with the error of the provider, and can be retried', async () => {
    let answer: object = { error: 'The model is on fire.' };
    await provider('text_processing', { taskType: 'summary' }, () => answer);
    const item = await anItem();

    expect(await messageOf(ask(item, 'summary'))).toEqual([503, 'The model is on fire.']);
    answer = { result: 'Better now.' };
    expect(await asked(item, 'summary')).toMatchObject({ text: 'Better now.' });
  });

  it('fails if the provider returns an empty text or an error', async () => {
    const item = await anItem();
    const external = await provider('text_processing', { taskType: 'summary' }, () => ({
      result: ' ',
    }));
    expect((await messageOf(ask(item, 'summary')))[1]).toBe('The provider sent an empty result.');

    external.on('/work', json({}, 500));
    expect((await messageOf(ask(item, 'summary')))[1]).toContain('status 500');
  });
});

describe('a transcript', () => {
  const episode = (name = 'episode.mp3') => ({
    enclosure: { url: publisher.url(`${path}/${name}`), type: 'audio/mpeg' },
  });
  const publishSound = (sound = 'the sound', contentType = 'audio/mpeg') =>
    publisher.publish(`${path}/episode.mp3`, Buffer.from(sound), { contentType });

  it('is made of the enclosure, once', async () => {
    const external = await listener();
    publishSound();
    const item = await anItem(episode());

    const made = await asked(item, 'transcript');
    const again = await asked(item, 'transcript');

    expect(made).toMatchObject({
      kind: 'transcript',
      text: `words for ${user.credentials.userId}`,
    });
    expect(again).toEqual(made);
    expect(publisher.requests(`${path}/episode.mp3`)).toHaveLength(1);
    const request = await external.received('/work');
    expect(request.headers['content-type']).toContain('multipart/form-data');
    expect(request.body.toString()).toContain('filename="episode.mp3"');
    expect(Number(request.query.get('max_execution_time'))).toBeGreaterThan(3500);
  });

  it('is refused for items without a recording, and without a provider', async () => {
    expect(await messageOf(ask(await anItem(), 'transcript'))).toEqual([
      422,
      'This item has no recording.',
    ]);
    path = `/${(specs += 1)}`;
    expect(await messageOf(ask(await anItem(episode()), 'transcript'))).toEqual([
      503,
      'No external app turns speech into text.',
    ]);
  });

  const expectRefused = async (reason: string) => {
    const [status, message] = await messageOf(ask(await anItem(episode()), 'transcript'));

    expect([status, message]).toEqual([503, expect.stringContaining(reason)]);
  };

  it.each<[string, () => void, string]>([
    ['does not exist', () => publisher.fail(`${path}/episode.mp3`, 404), 'status 404'],
    ['is a web page', () => publishSound('<html>', 'text/html'), 'a web page'],
    ['is empty', () => publishSound(''), 'empty'],
    ['is truncated', () => publisher.drop(`${path}/episode.mp3`), 'closed the connection'],
  ])('fails with a reason when the recording %s', async (_what, publishIt, reason) => {
    await listener();
    publishIt();

    await expectRefused(reason);
  });

  itLong('fails with a reason when the recording is declared too large', async () => {
    await listener();
    publisher.publish(`${path}/episode.mp3`, Buffer.alloc(97 * 1024 * 1024), {
      contentType: 'audio/mpeg',
    });

    await expectRefused('more than 96 MiB');
  });

  it('fetches nothing from private addresses that are not allow-listed', async () => {
    await listener();
    const item = await anItem({
      enclosure: { url: 'http://[::ffff:10.0.0.1]/x.mp3', type: 'audio/mpeg' },
    });

    expect((await messageOf(ask(item, 'transcript')))[1]).toContain('not on the public internet');
  });
});

describe('a slow request', () => {
  /** A provider whose result the spec triggers. */
  async function slowWriter() {
    const tasks: number[] = [];
    const external = await provider('text_processing', { taskType: 'summary' }, (_seen, taskId) => {
      tasks.push(taskId);
      return null;
    });
    const report = async (result: string, nth = 1) => {
      await external.received('/work', nth);
      await external.as().ocs('PUT', '/api/v1/ai_provider/text_processing', {
        json: { taskId: tasks[nth - 1], result, error: '' },
      });
    };
    return { external, report };
  }

  it('gets 202 and an id, by which the result is polled', async () => {
    const { report } = await slowWriter();
    assistance().patienceSeconds = 0;
    const item = await anItem();

    const { status, json: begun } = await ask(item, 'summary');

    expect(status).toBe(202);
    expect(begun).toMatchObject({ kind: 'summary', state: 'running', error: null });
    const { id } = begun as AssistanceJson;
    expect(await ok(news.get(`/items/${item.id}/assistance/${id}`))).toEqual(begun);
    await report('Short.');
    expect(await finished(item, id)).toMatchObject({ id, state: 'done', text: 'Short.' });
    expect(await asked(item, 'summary')).toMatchObject({ id, text: 'Short.' });
  });

  it('reports its failure under the same id', async () => {
    assistance().patienceSeconds = 0;
    await provider('text_processing', { taskType: 'summary' }, () => ({ error: 'Out of ink.' }));
    const item = await anItem();
    const begun = (await ask(item, 'summary')).json as AssistanceJson;

    expect(await finished(item, begun.id)).toMatchObject({ state: 'failed', error: 'Out of ink.' });
  });

  it('is shared by all users who request the same meanwhile', async () => {
    const { external, report } = await slowWriter();
    const item = await anItem();
    const other = await app.signIn();
    const otherItem = await sameItemOf(other);

    const both = Promise.all([
      asked(item, 'summary'),
      asked(otherItem, 'summary', {}, new NewsClient(other, 'v1-3')),
      asked(item, 'summary'),
    ]);
    await report('Short.');

    expect((await both).map(({ text }) => text)).toEqual(['Short.', 'Short.', 'Short.']);
    expect(external.requests('/work')).toHaveLength(1);
  });

  it('is visible only to users who have the item', async () => {
    const { report } = await slowWriter();
    assistance().patienceSeconds = 0;
    const item = await anItem();
    const begun = (await ask(item, 'summary')).json as AssistanceJson;
    const stranger = new NewsClient(await app.signIn(), 'v1-3');

    expect((await ask(item, 'summary', {}, stranger)).status).toBe(404);
    expect((await stranger.get(`/items/${item.id}/assistance/${begun.id}`)).status).toBe(404);
    path = `/${(specs += 1)}`;
    const own = await anItem({}, user);
    expect((await news.get(`/items/${own.id}/assistance/${begun.id}`)).status).toBe(404);
    await report('Short.');
    await finished(item, begun.id);
  });

  it('is refused beyond twenty concurrent requests of a user', async () => {
    await writer();
    const item = await anItem();
    await app.database.query(
      `insert into article_assistance (article_id, source_id, kind, languages, full_text, input_hash, user_id)
       select id, source_id, 'translation', n::text, false, '', $1
         from generate_series(1, 20) n, (select * from article order by id desc limit 1) article`,
      [user.credentials.userId],
    );

    expect((await ask(item, 'summary')).status).toBe(429);
  });

  it('is removed with its user', async () => {
    const { external, report } = await slowWriter();
    assistance().patienceSeconds = 0;
    const item = await anItem();
    const other = await app.signIn();
    const otherItem = await sameItemOf(other);
    const begun = (await ask(otherItem, 'summary', {}, new NewsClient(other, 'v1-3')))
      .json as AssistanceJson;
    await external.received('/work');

    await app.inside(AccountDeletionHooks).run(other.credentials.userId);

    expect((await news.get(`/items/${item.id}/assistance/${begun.id}`)).status).toBe(404);
    const anew = (await ask(item, 'summary')).json as AssistanceJson;
    await report('Short.', 2);
    expect(await finished(item, anew.id)).toMatchObject({ text: 'Short.' });
  });

  it('outlives its user once it is finished, for other users', async () => {
    await writer();
    const item = await anItem();
    const other = await app.signIn();
    const otherItem = await sameItemOf(other);
    const made = await asked(otherItem, 'summary', {}, new NewsClient(other, 'v1-3'));

    await app.inside(AccountDeletionHooks).run(other.credentials.userId);

    expect(await asked(item, 'summary')).toEqual(made);
  });

  itLong('continues in another process when this one stops', async () => {
    const { external, report } = await slowWriter();
    const item = await anItem();
    const { databaseUrl = '', dataDir } = app.inside(Config);
    // The same key for secrets, because either process may call the external app.
    const twin = await startApp({ DATABASE_URL: databaseUrl, GATEFOLD_DATA_DIR: dataDir });
    const begun = await (async () => {
      try {
        assistance(twin).patienceSeconds = 0;
        const at = new NewsClient({ baseUrl: twin.url, credentials: user.credentials }, 'v1-3');
        return (await ask(item, 'summary', {}, at)).json as AssistanceJson;
      } finally {
        await external.received('/work');
        await twin.stop();
      }
    })();

    const inTime = finished(item, begun.id);
    await Promise.race([report('Short.'), inTime]);
    await Promise.race([report('Short.', 2).catch(() => {}), inTime]);

    expect(await inTime).toMatchObject({ state: 'done', text: 'Short.' });
  });
});

describe('results of external apps', () => {
  it('are removed after ninety days', async () => {
    const external = await writer();
    const item = await anItem();
    await asked(item, 'summary');
    const age = (days: number) =>
      app.database.query(
        'update article_assistance set finished_at = now() - make_interval(days => $1)',
        [days],
      );
    const admin = new NewsClient(app.asAdmin(), 'v1-3');

    await age(89);
    await ok(admin.get('/cleanup/after-update'));
    await asked(item, 'summary');
    expect(external.requests('/work')).toHaveLength(1);

    await age(91);
    await ok(admin.get('/cleanup/after-update'));
    await asked(item, 'summary');
    expect(external.requests('/work')).toHaveLength(2);
  });
});
