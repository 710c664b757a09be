import { describe, expect, it } from '@jest/globals';
import { twoKnownApps } from '../support/two-known-apps.js';

const TRANSLATION = '/api/v1/ai_provider/translation';
const TEXT = '/api/v1/ai_provider/text_processing';
const SPEECH = '/api/v1/ai_provider/speech_to_text';
const SPEECH_ALIAS = '/api/v1/provider/speech_to_text';

const { app, other } = await twoKnownApps();

const camel = { displayName: 'Shown', actionHandler: '/act' };
const snake = { display_name: 'Shown', action_handler: '/act' };
const from = { en: 'English', de: 'German' };
const to = { fr: 'French' };

const KINDS = [
  {
    path: TRANSLATION,
    camel: { ...camel, fromLanguages: from, toLanguages: to, actionDetectLang: '/detect' },
    snake: { ...snake, from_languages: from, to_languages: to, action_detect_lang: '/detect' },
    read: { from_languages: from, to_languages: to, action_detect_lang: 'detect' },
  },
  {
    path: TEXT,
    camel: { ...camel, taskType: 'summary' },
    snake: { ...snake, task_type: 'summary' },
    read: { task_type: 'summary' },
  },
  { path: SPEECH, camel, snake, read: {} },
  { path: SPEECH_ALIAS, camel, snake, read: {} },
];

describe.each(KINDS)('$path', ({ path, camel, snake, read }) => {
  it.each([
    ['camelCase', camel],
    ['snake_case', snake],
  ])('[G96] is registered in %s and read back in snake_case', async (spelling, fields) => {
    const name = `p-${spelling}`;

    const answer = await app.as().ocs('POST', path, { json: { name, ...fields } });

    expect(answer).toMatchObject({ httpStatus: 200, statuscode: 100, data: [] });
    expect((await app.as().ocs('GET', path, { query: { name } })).data).toEqual({
      id: expect.any(Number),
      appid: 'a1',
      name,
      display_name: 'Shown',
      action_handler: 'act',
      ...read,
    });
  });

  it('answers 200 below /ocs/v2.php as well', async () => {
    const root = `/ocs/v2.php/apps/app_api${path}`;

    const posted = await app.as().call('POST', root, { json: { name: 'v2', ...camel } });
    const removed = await app.as().call('DELETE', root, { query: { name: 'v2' } });

    expect([posted.status, removed.status]).toEqual([200, 200]);
  });

  it('keeps its id when registered again', async () => {
    const query = { name: 'again' };
    await app.as().ocs('POST', path, { json: { ...query, ...camel } });
    const first = (await app.as().ocs('GET', path, { query })).data as { id: number };

    await app.as().ocs('POST', path, { json: { ...query, ...camel, displayName: 'New' } });

    expect((await app.as().ocs('GET', path, { query })).data).toMatchObject({
      id: first.id,
      display_name: 'New',
    });
  });

  it('is 404 after it is unregistered', async () => {
    const query = { name: 'gone' };
    await app.as().ocs('POST', path, { json: { ...query, ...camel } });

    expect((await app.as().ocs('DELETE', path, { query })).statuscode).toBe(100);
    expect((await app.as().ocs('DELETE', path, { query })).statuscode).toBe(404);
    expect((await app.as().ocs('GET', path, { query })).statuscode).toBe(404);
  });

  it('is private to its app', async () => {
    const query = { name: 'mine' };
    await app.as().ocs('POST', path, { json: { ...query, ...camel } });

    expect((await other.as().ocs('GET', path, { query })).statuscode).toBe(404);
    expect((await other.as().ocs('DELETE', path, { json: query })).statuscode).toBe(404);
    expect((await app.as().ocs('GET', path, { query })).statuscode).toBe(100);
  });

  it.each([
    ['name', 64],
    ['displayName', 64],
    ['actionHandler', 410],
  ])('rejects a %s of more than %i characters', async (field, limit) => {
    const json = { name: 'long', ...camel, [field]: 'x'.repeat(limit + 1) };

    expect(await app.as().ocs('POST', path, { json })).toMatchObject({
      statuscode: 400,
      message: `The parameter "${field}" must have at most ${limit} characters.`,
    });
  });
});

describe('ai_provider/text_processing', () => {
  it.each(['free_prompt', 'headline', 'summary', 'topics'])('accepts %s', async (taskType) => {
    const json = { name: taskType, ...camel, taskType };

    expect((await app.as().ocs('POST', TEXT, { json })).statuscode).toBe(100);
  });

  it('[G97] rejects any other task type', async () => {
    const json = { name: 'poems', ...camel, taskType: 'poem' };

    expect(await app.as().ocs('POST', TEXT, { json })).toMatchObject({
      statuscode: 400,
      message: 'The parameter "taskType" must be one of free_prompt, headline, summary, topics.',
    });
    expect((await app.as().ocs('GET', TEXT, { query: { name: 'poems' } })).statuscode).toBe(404);
  });
});

describe('ai_provider/translation', () => {
  it('cannot detect languages by default', async () => {
    const json = { name: 'plain', ...camel, fromLanguages: from, toLanguages: {} };
    await app.as().ocs('POST', TRANSLATION, { json });

    const { data } = await app.as().ocs('GET', TRANSLATION, { query: { name: 'plain' } });
    expect(data).toMatchObject({ from_languages: from, to_languages: {}, action_detect_lang: '' });
  });

  it('rejects invalid languages', async () => {
    const json = { name: 'list', ...camel, fromLanguages: ['en'], toLanguages: to };

    expect((await app.as().ocs('POST', TRANSLATION, { json })).statuscode).toBe(400);
  });
});

describe('provider/speech_to_text', () => {
  it('[G98] is the same resource under the name of the specification', async () => {
    await app.as().ocs('POST', SPEECH_ALIAS, { json: { name: 'one', ...camel } });

    expect((await app.as().ocs('GET', SPEECH, { query: { name: 'one' } })).statuscode).toBe(100);
    expect((await app.as().ocs('DELETE', SPEECH, { query: { name: 'one' } })).statuscode).toBe(100);
    expect((await app.as().ocs('GET', SPEECH_ALIAS, { query: { name: 'one' } })).statuscode).toBe(
      404,
    );
  });
});
