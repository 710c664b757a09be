import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { writeBackup } from '../../../src/database/backup/write-backup.js';
import { PREFERENCE_AREAS } from '../../../src/platform/accounts/preferences/preference-fields.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { Random } from '../../support/histories/random.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const ROOT = '/ocs/v2.php/apps/gatefold/api/v1/preferences';

type Values = Readonly<Record<string, unknown>>;

interface Area {
  readonly values: Values;
  readonly version: number;
}

let app: TestApp;
let ada: TestUser;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());
beforeEach(async () => {
  ada = await app.signIn();
});

const initial = (area: keyof typeof PREFERENCE_AREAS) =>
  Object.fromEntries(
    Object.entries(PREFERENCE_AREAS[area]).map(([name, field]) => [name, field.initial]),
  );

async function show(user: TestUser): Promise<Readonly<Record<string, Area>>> {
  const { json } = await user.get(`${ROOT}?format=json`);
  return (json as { ocs: { data: Record<string, Area> } }).ocs.data;
}

async function change(area: string, values: unknown, user = ada) {
  const { status, json } = await user.call('PATCH', `${ROOT}/${area}?format=json`, {
    json: { values },
  });
  const { meta, data } = (json as { ocs: { meta: { message: string }; data: Area } }).ocs;
  return { status, message: meta.message, data };
}

describe('Preferences', () => {
  it('are the defaults until they are changed', async () => {
    expect(await show(ada)).toEqual({
      pages: { values: initial('pages'), version: 0 },
      reader: { values: initial('reader'), version: 0 },
      player: { values: initial('player'), version: 0 },
      files: { values: initial('files'), version: 0 },
    });
  });

  it('change field by field; the answer has all fields of the area', async () => {
    const first = await change('reader', { font: 'serif' });
    const second = await change('reader', { lineHeight: 2 });

    expect(first.status).toBe(200);
    expect(second.data).toEqual({
      values: { ...initial('reader'), font: 'serif', lineHeight: 2 },
      version: 2,
    });
    expect((await show(ada))['reader']).toEqual(second.data);
    expect((await show(ada))['pages']?.version).toBe(0);
  });

  it('return to the default with null', async () => {
    await change('pages', { theme: 'dark', language: 'de' });

    expect((await change('pages', { theme: null })).data.values).toEqual({
      language: 'de',
      theme: 'system',
    });
  });

  it('that are maps change entry by entry', async () => {
    await change('reader', { orderOf: { 'folder-1': 'oldest', 'folder-2': 'newest' } });
    const { data } = await change('reader', {
      orderOf: { 'folder-2': null, 'folder-3': 'oldest' },
    });

    expect(data.values['orderOf']).toEqual({ 'folder-1': 'oldest', 'folder-3': 'oldest' });
  });

  it('changed on several devices at the same time are all kept', async () => {
    const folders = Array.from({ length: 20 }, (_, n) => n + 1);
    const changes = [
      { font: 'mono' },
      { hideRead: true },
      { fontSizePixels: 20 },
      ...folders.map((id) => ({ orderOf: { [`folder-${id}`]: 'oldest' } })),
    ];
    await Promise.all(changes.map((values) => change('reader', values)));

    const { values, version } = (await show(ada))['reader'] ?? {};
    expect(values).toEqual({
      ...initial('reader'),
      font: 'mono',
      hideRead: true,
      fontSizePixels: 20,
      orderOf: Object.fromEntries(folders.map((id) => [`folder-${id}`, 'oldest'])),
    });
    expect(version).toBe(changes.length);
  });

  it.each([1, 2, 3])(
    'are those of a model after any history of changes (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const model: Record<string, unknown> = initial('reader');
      let version = 0;
      for (let n = 0; n < 40; n += 1) {
        const values: Record<string, unknown> = {};
        if (random.chance(0.5)) {
          values['font'] = random.pick(['serif', 'mono', null]);
          model['font'] = values['font'] ?? 'sans';
        }
        if (random.chance(0.5)) {
          values['hideRead'] = random.chance(0.5);
          model['hideRead'] = values['hideRead'];
        }
        if (random.chance(0.7)) {
          const [list, way] = [
            `folder-${random.below(5) + 1}`,
            random.pick(['oldest', 'newest', null]),
          ];
          values['orderOf'] = { [list]: way };
          const { [list]: _old, ...others } = model['orderOf'] as Record<string, unknown>;
          model['orderOf'] = way === null ? others : { ...others, [list]: way };
        } else if (random.chance(0.1)) {
          values['orderOf'] = null;
          model['orderOf'] = {};
        }
        const isRefused = random.chance(0.15);
        if (isRefused) {
          Object.assign(model, (await show(ada))['reader']?.values);
          values['lineHeight'] = 9;
        } else {
          version += 1;
        }
        const { status } = await change('reader', values);
        expect(status).toBe(isRefused ? 400 : 200);
      }

      expect((await show(ada))['reader']).toEqual({ values: model, version });
    },
  );

  it.each([
    ['pages', { theme: 'pink' }, '"theme" of "pages" must be one of system, light'],
    ['pages', { language: '"><script>' }, '"language" of "pages" must be a language'],
    ['reader', { fontSizePixels: 400 }, '"fontSizePixels" of "reader" must be at most 32'],
    ['reader', { hideRead: 'yes' }, '"hideRead" of "reader" must be true or false'],
    ['reader', { orderOf: { evil: 'oldest' } }, '"orderOf" of "reader" is not valid'],
    ['reader', { styleSheet: '@import "x.css"' }, '"styleSheet" of "reader" must not load'],
    ['reader', { styleSheet: 'x'.repeat(20_001) }, '"styleSheet" of "reader" has at most 20000'],
    ['player', { current: { itemId: 1, url: 'javascript:alert(1)' } }, '"current" of "player"'],
  ])('of %s refuse a wrong value and stay as they were (%#)', async (area, values, message) => {
    const before = await show(ada);
    const answer = await change(area, { ...values, sidebarShown: false });

    expect(answer.status).toBe(400);
    expect(answer.message).toContain(message);
    expect(await show(ada)).toEqual(before);
  });

  it('have languages as providers of translations name them', async () => {
    for (const translateTo of ['zh_CN', 'zh-Hans', 'zho_Hans', 'shout', 'Português (Brasil)', '']) {
      await change('reader', { translateTo });

      expect(await show(ada)).toMatchObject({ reader: { values: { translateTo } } });
    }
  });

  it('ignore fields of other versions', async () => {
    const answer = await change('pages', { theme: 'sepia', fromTheFuture: 1, __proto__: 2 });

    expect(answer.status).toBe(200);
    expect(answer.data.values).toEqual({ language: '', theme: 'sepia' });
  });

  it('that no longer fit are the default', async () => {
    await change('reader', { font: 'serif', hideRead: true });
    await app.database.query(
      `update user_preference set chosen = chosen || '{"font": "runes", "gone": 1}' where user_id = $1`,
      [ada.credentials.userId],
    );

    expect((await show(ada))['reader']?.values).toEqual({ ...initial('reader'), hideRead: true });
  });

  it('take a limited space', async () => {
    const url = (n: number) => `https://publisher.example/${n}/${'ü'.repeat(1900)}`;
    const recording = (n: number) => ({
      itemId: n,
      title: 'T',
      feedTitle: 'F',
      url: url(n),
      picture: null,
    });
    const queue = (length: number) => Array.from({ length }, (_, n) => recording(n + 1));

    expect((await change('player', { queue: queue(30) })).status).toBe(200);
    const refused = await change('player', { queue: queue(45) });
    expect(refused.status).toBe(400);
    expect(refused.message).toContain('more than 131072 bytes');
    expect((await change('player', { queue: queue(51) })).status).toBe(400);
  });

  it('of an unknown area are refused', async () => {
    expect((await change('kitchen', { theme: 'dark' })).status).toBe(400);
  });

  it('are not those of another user, and need a login', async () => {
    const mallory = await app.signIn();
    await change('pages', { theme: 'black' });

    expect((await show(mallory))['pages']).toEqual({ values: initial('pages'), version: 0 });
    expect((await app.asStranger().get(ROOT)).status).toBe(401);
    expect((await app.asStranger().call('PATCH', `${ROOT}/pages`)).status).toBe(401);
  });

  it('disappear with the account, and are in backups', async () => {
    const zoe = await app.signInOnce('zoe');
    await change('pages', { theme: 'dark' }, zoe);
    const folder = await temporaryFolder('preferences');
    const { rows } = await writeBackup(app.inside(MikroORM), path.join(folder, 'backup'));
    await app.inside(UsersService).delete('zoe');

    expect(rows['public.user_preference']).toBeGreaterThan(0);
    expect(await app.database.query(`select 1 from user_preference where user_id = 'zoe'`)).toEqual(
      [],
    );
  });
});

describe('The pages', () => {
  it.each([
    ['pages', 'host/pages-preferences.ts'],
    ['reader', 'reader/model/preferences.ts'],
    ['player', 'reader/player/player.ts'],
  ] as const)('have the same fields and defaults in the area %s', (area, file) => {
    const source = readFileSync(new URL(`../../../web/src/${file}`, import.meta.url), 'utf8');
    const [, defaults = ''] = /^const DEFAULTS: \w+ = (\{[^]*?\});$/m.exec(source) ?? [];

    expect(JSON.parse(JSON.stringify(runInNewContext(`(${defaults})`)))).toEqual(initial(area));
  });
});
