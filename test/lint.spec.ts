import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Files of a temporary repository: path → text. */
type Files = Readonly<Record<string, string>>;

const REFUSED = [
  ['a room importing another', 'src/news/a.ts', '../app-api/b.js', '"news" is not above'],
  ['common importing a room', 'src/common/a.ts', '../news/b.js', '"common" is not above "news"'],
  ['the database importing a room', 'src/database/a.ts', '../platform/b.js', 'is not above'],
  ['common importing the database', 'src/common/a.ts', '../database/b.js', 'is not above'],
  ['a room importing a command line', 'src/news/a/a.ts', '../../cli/b.js', 'is not above "cli"'],
  ['a room importing the application', 'src/news/a.ts', '../app.module.js', 'is not above "."'],
  ['a subject importing a higher one', 'src/news/sources/a.ts', '../reader/b.js', 'is not above'],
  ['a subject importing its own row', 'src/news/opml/a.ts', '../statistics/b.js', 'is not above'],
  [
    'a subject importing the own row of a part of its room',
    'src/news/reader/folders/a.ts',
    '../feeds/b.js',
    'In src/news/reader, "folders" is not above "feeds"',
  ],
  ['a subject without a row', 'src/news/new/a.ts', '../reader/b.js', 'has no row for "new"'],
  [
    'a room importing the platform',
    'src/news/opml/a.ts',
    '../../platform/accounts/b.js',
    'only modules import its modules',
  ],
  [
    'a controller importing a repository',
    'src/platform/chat/a.controller.ts',
    './b.repository.js',
    'which does not import',
  ],
  ['a controller importing SQL', 'src/platform/chat/a.controller.ts', './b.sql.js', 'runs its SQL'],
  ['a service importing SQL', 'src/platform/chat/a.service.ts', './b.sql.js', 'runs its SQL'],
  [
    'a service importing a controller',
    'src/platform/chat/a.service.ts',
    './b.controller.js',
    'which does not import',
  ],
  [
    'a repository importing a service',
    'src/platform/chat/a.repository.ts',
    './b.service.js',
    'which does not import',
  ],
  [
    'the parser importing another subject',
    'src/news/feed-parser/a.ts',
    '../b.js',
    'bytes into feeds',
  ],
  ['the parser importing Nest', 'src/news/feed-parser/a.ts', '@nestjs/common', 'bytes into feeds'],
  ['a network library', 'src/news/a.ts', 'axios', 'outgoing-http'],
  ['a timer of its own', 'src/news/a.ts', '@nestjs/schedule', 'Regular work has @Regularly'],
  [
    'an area of the pages importing another',
    'web/src/chat/a.ts',
    '../files/b.js',
    'In web/src, "chat" is not above "files"',
  ],
  ['a part of the pages importing an area', 'web/src/parts/a.ts', '../files/b.js', 'is not above'],
  [
    'a component importing a higher one',
    'web/src/admin/users/a.vue',
    '../groups/B.vue',
    'In web/src/admin, "users" is not above "groups"',
  ],
] as const;

const dependencies = [...'abcdefghi'].map((name) => `private readonly ${name}: string`).join(', ');
const long = `export function long(a: number) {\n${'  a += 1;\n'.repeat(58)}  return a;\n}\n`;
const sql = 'export const find = (db: Db) => db.query(`select 1`);\n';

/** Statements that name the table of `OWNER`. */
const STATEMENTS = [
  'select 1 from kept_item i',
  'select 1 from other join kept_item on true',
  'select 1 from other o, kept_item where true',
  'insert into kept_item (id) values ($1)',
  'update kept_item set id = $1',
  'delete from other using kept_item i where true',
];
const OWNER = 'src/news/reader/items/kept.entity.ts';
const naming = (statement: string) => `export const sql = \`${statement} and ${'${id}'} > 0\`;\n`;
const lowerNaming = (place: number) => `src/news/reader/labels/kept-${place}.sql.ts`;

/** All in one repository, since the linter takes long to start. No file has the name of another. */
const SAMPLES = {
  layers: {
    'src/news/folders/folders.controller.ts': `import { a } from './folders.service.js';\nexport const b = a;\n`,
    'src/news/folders/folders.service.ts': `import { a } from './folders.repository.js';\nexport { a };\n`,
    'src/news/folders/folders.repository.ts': `import { a } from './folders.sql.js';\nexport { a };\n`,
    'src/news/folders/folders.sql.ts': `import { a } from '../../common/a.js';\nexport { a };\n`,
    'src/common/a.ts': 'export const a = 1;\n',
  },
  rows: {
    'src/news/opml/row.ts': `import { a } from '../reader/feeds/row.js';\nexport const b = a;\n`,
    'src/news/reader/feeds/row.ts': 'export const a = 1;\n',
    'src/news/news.module.ts': `import { a } from './opml/row.js';\nexport const b = a;\n`,
    'src/news/opml/row.module.ts': `import { A } from '../../platform/accounts/row.module.js';\nexport const b = A;\n`,
    'src/platform/accounts/row.module.ts': 'export class A {}\n',
  },
  typesUpwards: {
    'src/news/sources/up.ts': `import type { B } from '../reader/down.js';\nexport type A = B;\n`,
  },
  types: {
    'src/platform/chat/row.controller.ts': `import type { A } from './row.sql.js';\nexport type B = A;\n`,
  },
  cycle: {
    'src/news/a.ts': `import type { B } from './b.js';\nexport interface A { b: B }\n`,
    'src/news/b.ts': `import type { A } from './a.js';\nexport interface B { a: A }\n`,
  },
  sqlElsewhere: { 'src/platform/chat/text.service.ts': sql },
  sqlInPlace: { 'src/platform/chat/text.repository.ts': sql, 'src/platform/chat/text.sql.ts': sql },
  kinds: {
    'src/news/opml/kind.ts': '@Injectable()\nexport class KindA {}\n',
    'src/news/opml/kind.repository.ts': '@Injectable()\nexport class KindB {}\n',
  },
  namedKinds: {
    'src/news/opml/named.task.ts': '@Injectable()\nexport class NamedA {}\n',
    'src/news/opml/named.repository.ts': '@Injectable()\nexport class NamedRepository {}\n',
    'src/news/opml/named.ts': 'export class NamedB {}\n',
    'src/common/named.ts': '@Injectable()\nexport class NamedC {}\n',
  },
  otherInput: {
    'src/news/other-input.ts':
      'export class D { e(@Input(Path) { id }: In<typeof Body>) { return id; } }\n',
  },
  sameInput: {
    'src/news/same-input.ts':
      'export class F { e(@Input(Path) { id }: In<typeof Path>) { return id; } }\n',
  },
  namedAnswer: {
    'src/news/named-answer.ts':
      "export class G { @Get('', 'Shows it.', A) async h(): Promise<object> { return {}; } }\n",
  },
  inferredAnswer: {
    'src/news/inferred-answer.ts':
      "export class I { @Get('', 'Shows it.', A) async j() { return {}; }\n" +
      "  @Put('', 'Puts it.', 'nothing') async k(): Promise<void> {}\n  l(): number { return 1; } }\n",
  },
  tables: {
    [OWNER]: `export class A extends entityOf('kept_item', {}) {}\n`,
    'src/news/reader/items/kept.sql.ts': naming('select 1 from kept_item'),
    'src/news/reader/feeds/kept.sql.ts': naming('select 1 from kept_item'),
    'src/database/migrations/0001-kept.ts': naming('select 1 from kept_item'),
    'src/news/reader/labels/kept.spec.ts': naming('select 1 from kept_item'),
    'src/news/reader/labels/kept.sql.ts': naming('select kept_item from labels'),
  },
  foreignName: { 'src/news/reader/labels/names.sql.ts': `export const names = ['kept_item'];\n` },
  foreignTables: Object.fromEntries(
    STATEMENTS.map((statement, place) => [lowerNaming(place), naming(statement)]),
  ),
  private: { 'src/a.ts': 'export class A { private b = 1; }\n' },
  braces: { 'src/b.ts': 'export function b(c: boolean) { if (c) return 1; return 2; }\n' },
  long: {
    'src/long.ts': long,
    'web/src/chat/short.ts': long.replace('  a += 1;\n', ''),
    'web/src/chat/long.ts': long,
    'web/src/chat/Long.vue': `<script setup lang="ts">\n${long.slice('export '.length)}</script>\n`,
  },
  dependencies: { 'src/c.ts': `export class C { constructor(${dependencies}) {} }\n` },
} as const satisfies Readonly<Record<string, Files>>;

/** A sample of a row above, in a file of its own beside those of the others. */
function sampleOf([, file, specifier]: (typeof REFUSED)[number], row: number): [string, string] {
  const own = file.replace(/(?<=\/)a(?=\.[^/]+$)/, `row-${row}`);
  const code = `import { a } from '${specifier}';\nexport const b = a;\n`;
  return [own, file.endsWith('.vue') ? `<script lang="ts">\n${code}</script>\n` : code];
}

describe('the linter', () => {
  let folder: string;
  let errors: string[];

  beforeAll(async () => {
    folder = await temporaryFolder('lint');
    const config = JSON.parse(await readFile(path.join(ROOT, '.oxlintrc.json'), 'utf8'));
    config.jsPlugins = [path.join(ROOT, 'lint/house-rules.mjs')];
    await writeFile(path.join(folder, '.oxlintrc.json'), JSON.stringify(config));
    errors = await lint(
      Object.assign({}, ...Object.values(SAMPLES), Object.fromEntries(REFUSED.map(sampleOf))),
    );
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const foundIn = (...files: readonly string[]) =>
    errors.filter((error) => files.some((file) => error.startsWith(`${file}:`)));
  const found = (sample: keyof typeof SAMPLES) => foundIn(...Object.keys(SAMPLES[sample]));

  it('accepts imports from controllers over services and repositories to SQL', () => {
    expect(found('layers')).toEqual([]);
  });

  it.each(REFUSED.map((row, place) => [row[0], sampleOf(row, place)[0], row[3]] as const))(
    'refuses %s',
    (_case, file, reason) => {
      expect(foundIn(file).join('\n')).toContain(reason);
    },
  );

  it('accepts imports of types, such as those of rows, from any kind of file', () => {
    expect(found('types')).toEqual([]);
  });

  it('allows imports of lower rows, and of all that a folder holds by its module', () => {
    expect(found('rows')).toEqual([]);
  });

  it('rejects types of higher rows, too', () => {
    expect(found('typesUpwards').join()).toContain('"sources" is not above "reader"');
  });

  it('rejects import cycles, also of types', () => {
    expect(found('cycle').join('\n')).toContain('ependency cycle');
  });

  it('rejects SQL text outside of repositories and *.sql.ts', () => {
    expect(found('sqlElsewhere').join('\n')).toContain(
      'belongs in a repository or a *.sql.ts file',
    );
    expect(found('sqlInPlace')).toEqual([]);
  });

  it('rejects the type of another schema than the one that parses an input', () => {
    expect(found('otherInput').join()).toContain('parses by Path, but has the type of Body');
    expect(found('sameInput').join()).not.toContain('parses by');
  });

  it('rejects a return type of a handler, whose decorator says what it answers', () => {
    expect(found('namedAnswer').join()).toContain('The decorator says what this answers');
    expect(found('inferredAnswer').join()).not.toContain('The decorator says');
  });

  it('rejects an injectable class of a room without its kind in the file name', () => {
    expect(found('kinds').join('\n')).toContain('Name the kind of this class in its file name');
    expect(found('kinds').join('\n')).toContain('ends in Repository');
    expect(found('namedKinds').filter((error) => /file name|ends in/.test(error))).toEqual([]);
  });

  it('accepts SQL that names tables of its own subject or of a lower row', () => {
    expect(found('tables').filter((error) => error.includes('is owned by'))).toEqual([]);
  });

  it.each(STATEMENTS.map((statement, place) => [statement, lowerNaming(place)]))(
    'rejects a table of a higher row in SQL: %s',
    (_statement, file) => {
      expect(foundIn(file).join()).toContain(
        'Table kept_item is owned by "items", and in src/news/reader "labels" is not above it',
      );
    },
  );

  it('rejects the name of a table of a higher row where SQL stands, for a statement with a gap', () => {
    expect(found('foreignName').join()).toContain('Table kept_item is owned by "items"');
  });

  it('rejects `private`, an `if` without braces, and more than eight dependencies', () => {
    expect(found('private').join()).toContain('#name');
    expect(found('braces').join()).toContain('curly');
    expect(found('dependencies').join()).toContain('9 dependencies');
  });

  it('rejects functions of the pages, and of components, above 60 lines', () => {
    expect(
      found('long')
        .map((error) => error.split(':')[0])
        .toSorted(),
    ).toEqual(['web/src/chat/Long.vue', 'web/src/chat/long.ts']);
  });

  /** Runs the linter on a repository with these files. */
  async function lint(files: Files): Promise<string[]> {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    }
    const oxlint = path.join(ROOT, 'node_modules/oxlint/bin/oxlint');
    const { stdout } = spawnSync(process.execPath, [oxlint, '-f', 'unix', ...Object.keys(files)], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout.split('\n').filter((line) => line.includes('[Error/'));
  }
});
