import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { NAMED_PARTS, type NamedPart } from '../src/common/config/parts.js';
import { PACKAGE_ROOT } from '../src/common/package-root.js';
import { loadConfig } from '../src/settings.js';
import { aServiceProcess } from './support/a-service-process.js';
import { ApiClient } from './support/api-client.js';
import { Browser } from './support/browser.js';
import { isLong } from './support/long.js';
import { ADMIN, startApp, type TestApp } from './support/start-app.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { createTestDatabase } from './support/test-database.js';

/*
 * Parts of the service that can be left out: docs/operations/parts.md. `.ci/long parts` runs the specs of
 * the feed reader with the part `reader` alone.
 */

/** Extends an address of another part. */
type Extending = 'saved-pages';

/** An address of each part that answers an administrator. */
const ADDRESSES: Readonly<Record<Exclude<NamedPart, Extending>, readonly [string, string]>> = {
  reader: ['GET', '/apps/news/api/v1-3/folders'],
  'google-reader': ['GET', '/api/greader.php'],
  fever: ['POST', '/fever/?api'],
  apps: ['GET', '/apps/app_api/apps/list'],
  'task-processing': ['GET', '/ocs/v2.php/taskprocessing/tasktypes'],
  assistance: ['GET', '/apps/news/api/v1-3/assistance'],
  stories: ['GET', '/apps/news/api/v1-3/stories'],
  highlights: ['GET', '/apps/news/api/v1-3/highlights'],
  'feeds-out': ['GET', '/apps/news/api/v1-3/feeds-out'],
  'group-folders': ['GET', '/apps/news/api/v1-3/group-folders'],
  boards: ['GET', '/apps/news/api/v1-3/boards'],
  files: ['PROPFIND', '/remote.php/dav/files/admin/'],
  'files-extras': ['PROPFIND', '/remote.php/dav/trashbin/admin/trash/'],
  chat: ['GET', '/ocs/v2.php/apps/spreed/api/v4/room'],
};

/** Folders of the sources of each part. */
const FOLDERS: Readonly<Record<NamedPart, readonly string[]>> = {
  reader: ['src/news/'],
  'google-reader': ['src/news/google-reader/'],
  fever: ['src/news/fever/'],
  apps: ['src/app-api/'],
  'task-processing': ['src/app-api/task-processing/'],
  assistance: ['src/news/assistance/'],
  stories: ['src/news/reader/stories/', 'src/news/story/'],
  highlights: ['src/news/reader/highlights/'],
  'feeds-out': ['src/news/feeds-out/'],
  'group-folders': ['src/news/group-folders/'],
  boards: ['src/news/boards/'],
  files: ['src/platform/files/'],
  'files-extras': ['archives', 'piecewise', 'previews', 'search', 'trash'].map(
    (subject) => `src/platform/files/${subject}/`,
  ),
  chat: ['src/platform/chat/'],
  'saved-pages': ['src/news/saved-pages/'],
};

const CAPABILITIES: Partial<Record<NamedPart, string>> = {
  apps: 'app_api',
  files: 'files',
  chat: 'spreed',
};

/** Left out one by one in `npm test`; `npm run test:long` leaves out each. */
const SOME_PARTS = ['reader'] as const;

const partsOf = (text: string) => loadConfig({ GATEFOLD_PARTS: text }).parts;

/** All other parts that do not need this one. */
const without = (part: NamedPart) =>
  NAMED_PARTS.filter((other) => !partsOf(other).has(part)).join(' ');

const ADDRESSED = Object.keys(ADDRESSES) as (keyof typeof ADDRESSES)[];

const isOff = (part: NamedPart, other: NamedPart) => partsOf(other).has(part);

/** Settings of parts that are off are valid. */
const isOfSettings = (file: string) => /\.settings\.[jt]s$/.test(file);
/** What merges of feeds, imports and archives use also while the part is off: its rows stay, and follow. */
const OF_ROWS: ReadonlySet<string> = new Set([
  'src/news/story/canonical-link.ts',
  'src/news/reader/stories/reader-stories.repository.ts',
  'src/news/reader/highlights/highlights.repository.ts',
  'src/news/reader/highlights/highlight.entity.ts',
  'src/news/reader/highlights/colours.ts',
  'src/news/reader/highlights/new-highlight.ts',
]);

async function statusOf(app: TestApp, part: keyof typeof ADDRESSES): Promise<number> {
  const [method, address] = ADDRESSES[part];
  return (await app.asAdmin().call(method, address)).status;
}

describe('GATEFOLD_PARTS', () => {
  it('is all parts by default, and brings along what a part needs', () => {
    expect([...loadConfig({}).parts]).toEqual(NAMED_PARTS);
    expect([...partsOf('assistance')]).toEqual(['assistance', 'reader', 'task-processing', 'apps']);
  });

  it('refuses a wrong name with the list', () => {
    expect(() => partsOf('reader, chess')).toThrow(`must be names of ${NAMED_PARTS.join(', ')}`);
  });
});

describe('With all parts', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  it.each(ADDRESSED)('%s answers', async (part) => {
    expect(await statusOf(app, part)).toBeLessThan(300);
  });

  it.each([
    ['GET', '/login/oidc'],
    ['GET', '/login/oidc/callback?code=a&state=b'],
    ['POST', '/login/oidc/logout'],
  ])('there is no %s %s without an identity provider', async (method, address) => {
    expect((await app.asStranger().call(method, address)).status).toBe(404);
  });
});

describe.each(isLong ? NAMED_PARTS : SOME_PARTS)('A service without %s', (part) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ GATEFOLD_PARTS: without(part) });
  });
  afterAll(() => app.stop());

  it('answers 404 at its addresses, and as usual at those of the other parts', async () => {
    const statuses = await Promise.all(
      ADDRESSED.map(async (other) => [other, (await statusOf(app, other)) === 404] as const),
    );

    expect(Object.fromEntries(statuses)).toEqual(
      Object.fromEntries(ADDRESSED.map((other) => [other, isOff(part, other)])),
    );
    expect((await app.asAdmin().get('/ocs/v2.php/cloud/user')).status).toBe(200);
  });

  it('claims no capability for it; the doctor and the pages say that it is off', async () => {
    const browser = new Browser(app.url);
    await browser.login(ADMIN);
    const [capabilities, checks, page] = await Promise.all([
      app.asAdmin().get('/ocs/v2.php/cloud/capabilities?format=json'),
      app.asAdmin().get('/ocs/v2.php/apps/gatefold/api/v1/checks?format=json'),
      browser.get('/settings/admin/overview'),
    ]);

    const claimed = (capabilities.json as { ocs: { data: { capabilities: object } } }).ocs.data;
    expect(Object.keys(claimed.capabilities)).not.toContain(CAPABILITIES[part] ?? part);
    const off = NAMED_PARTS.filter((other) => isOff(part, other)).join(', ');
    expect(checks.text).toContain(`These parts of the service are off: ${off}.`);
    expect(page.text).toContain(`data-parts="${[...partsOf(without(part))].join(' ')}"`);
  });

  it('imports no file of it', () => {
    const roots = ['src/main.ts', ...modulesOf([...partsOf(without(part))])];
    const imported = importedBy(roots).filter(
      (file) =>
        FOLDERS[part].some((folder) => file.startsWith(folder)) &&
        !isOfSettings(file) &&
        !OF_ROWS.has(file),
    );

    expect(imported).toEqual([]);
  });
});

describe('The part reader alone', () => {
  it('loads nothing of the others, and none of their packages', async () => {
    const database = await createTestDatabase();
    const list = path.join(await temporaryFolder('loaded'), 'files');
    const service = await aServiceProcess(
      database.url,
      { GATEFOLD_PARTS: 'reader', LOADED_FILES: list },
      ['loaded-files.mjs'],
    );
    const client = new ApiClient(service.url);
    const { status } = await client.get('/apps/news/api/v1-3/version');
    await service.stop();
    await database.drop();

    const loaded = (await readFile(list, 'utf8')).split('\n');
    const others =
      /\/src\/(?:app-api|platform\/(?:files|chat|sign-in\/(?:ldap|oidc|scim)))\/|\/news\/(?:fever|google-reader|assistance)\/|node_modules\/(?:@aws-sdk|sharp|nodemailer|ldapts|openid-client|@simplewebauthn|swagger-ui-dist|@opentelemetry\/sdk|linkedom|scim)/;
    expect(status).toBe(401);
    expect(loaded.length).toBeGreaterThan(500);
    expect(loaded.filter((url) => others.test(url) && !isOfSettings(url))).toEqual([]);
  });

  it('says on the pages which parts are off, and has no page of them', async () => {
    const app = await startApp({ GATEFOLD_PARTS: 'reader' });
    const browser = new Browser(app.url);
    await browser.login(ADMIN);

    expect((await browser.get('/apps/news/')).status).toBe(200);
    expect((await browser.get('/apps/files/')).status).toBe(404);
    expect((await browser.get('/apps/spreed/')).status).toBe(404);
    expect((await browser.get('/apps/news/save')).status).toBe(404);

    await app.stop();
  });
});

describe('Without the part saved-pages', () => {
  it('an address alone is added as it is, and nothing is read', async () => {
    const app = await startApp({ GATEFOLD_PARTS: 'reader' });
    const url = 'http://127.0.0.1:1/never-asked';

    const { status, json } = await app
      .asAdmin()
      .call('POST', '/apps/news/api/v1-3/items', { json: { url } });

    expect([status, Object.keys(json as object)]).toEqual([200, ['feedId', 'items']]);
    await app.stop();
  });
});

describe('A part that is switched on again', () => {
  it('has lost nothing', async () => {
    const database = await createTestDatabase();
    const withParts = async <Result>(parts: string, work: (app: TestApp) => Promise<Result>) => {
      const app = await startApp({ DATABASE_URL: database.url, GATEFOLD_PARTS: parts });
      const result = await work(app);
      await app.stop();
      return result;
    };
    await withParts('reader', (app) =>
      app.asAdmin().call('POST', '/apps/news/api/v1-3/folders', { json: { name: 'Science' } }),
    );

    expect(await withParts('chat', (app) => statusOf(app, 'reader'))).toBe(404);
    const { json } = await withParts('reader', (app) =>
      app.asAdmin().get('/apps/news/api/v1-3/folders'),
    );
    expect(json).toMatchObject({ folders: [{ name: 'Science' }] });

    await database.drop();
  });
});

/** The files that `src/parts.ts` imports for these parts. */
function modulesOf(parts: readonly string[]): string[] {
  const text = readFileSync(path.join(PACKAGE_ROOT, 'src/parts.ts'), 'utf8');
  const [, ...entries] = text.split(/^ {2}'?([\w-]+)'?: async/m);
  return entries.flatMap((entry, at) =>
    at % 2 === 1 && parts.includes(entries[at - 1] ?? '')
      ? [...entry.matchAll(/import\('\.\/(.*)\.js'\)/g)].map(([, file]) => `src/${file}.ts`)
      : [],
  );
}

/** These files, and all that they import as values; `src/parts.ts` alone imports when it is asked. */
function importedBy(roots: readonly string[]): string[] {
  const all = new Set<string>();
  const texts = sources();
  const visit = (file: string) => {
    const text = texts.get(file);
    if (text === undefined || all.has(file)) {
      return;
    }
    all.add(file);
    for (const [, specifier = ''] of text.matchAll(
      /^(?:import|export)(?! type)[^;]*? from '(\.[^']*)\.js';/gm,
    )) {
      visit(path.posix.join(path.posix.dirname(file), `${specifier}.ts`));
    }
  };
  roots.forEach(visit);
  return [...all];
}

let known: ReadonlyMap<string, string> | undefined;
function sources(): ReadonlyMap<string, string> {
  known ??= new Map(
    globSync('{src,tools}/**/*.ts', { cwd: PACKAGE_ROOT }).map((file) => [
      file,
      readFileSync(path.join(PACKAGE_ROOT, file), 'utf8'),
    ]),
  );
  return known;
}
