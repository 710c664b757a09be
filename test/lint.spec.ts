import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Files of a temporary repository: path → text. */
type Files = Readonly<Record<string, string>>;

describe('the linter', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await temporaryFolder('lint');
    const config = JSON.parse(await readFile(path.join(ROOT, '.oxlintrc.json'), 'utf8'));
    delete config.overrides;
    config.jsPlugins = [path.join(ROOT, 'lint/house-rules.mjs')];
    await writeFile(path.join(folder, '.oxlintrc.json'), JSON.stringify(config));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('accepts imports from controllers over services and repositories to SQL', async () => {
    const found = await lint({
      'src/news/folders/folders.controller.ts': `import { a } from './folders.service.js';\nexport const b = a;\n`,
      'src/news/folders/folders.service.ts': `import { a } from './folders.repository.js';\nexport { a };\n`,
      'src/news/folders/folders.repository.ts': `import { a } from './folders.sql.js';\nexport { a };\n`,
      'src/news/folders/folders.sql.ts': `import { a } from '../../common/a.js';\nexport { a };\n`,
      'src/common/a.ts': 'export const a = 1;\n',
    });

    expect(found).toEqual([]);
  });

  it.each([
    ['a room importing another', 'src/news/a.ts', '../files/b.js', 'Rooms do not import'],
    ['common importing a room', 'src/common/a.ts', '../news/b.js', 'common and database know'],
    ['the database importing a room', 'src/database/a.ts', '../chat/b.js', 'know no room'],
    ['common importing the database', 'src/common/a.ts', '../database/b.js', 'not the reverse'],
    ['a room importing a command line', 'src/news/a/a.ts', '../../cli/b.js', 'cli collects'],
    ['a room importing the application', 'src/news/a.ts', '../app.module.js', 'put together'],
    [
      'a controller importing a repository',
      'src/chat/a.controller.ts',
      './b.repository.js',
      'which does not import',
    ],
    ['a controller importing SQL', 'src/chat/a.controller.ts', './b.sql.js', 'runs its SQL'],
    ['a service importing SQL', 'src/chat/a.service.ts', './b.sql.js', 'runs its SQL'],
    [
      'a service importing a controller',
      'src/chat/a.service.ts',
      './b.controller.js',
      'which does not import',
    ],
    [
      'a repository importing a service',
      'src/chat/a.repository.ts',
      './b.service.js',
      'which does not import',
    ],
    [
      'the parser importing another subject',
      'src/news/feed-parser/a.ts',
      '../b.js',
      'bytes into feeds',
    ],
    [
      'the parser importing Nest',
      'src/news/feed-parser/a.ts',
      '@nestjs/common',
      'bytes into feeds',
    ],
    ['a network library', 'src/news/a.ts', 'axios', 'outgoing-http'],
    [
      'an area of the pages importing another',
      'web/src/chat/a.ts',
      '../files/b.js',
      'Areas of the pages',
    ],
    [
      'a part of the pages importing an area',
      'web/src/parts/a.ts',
      '../files/b.js',
      'know no area',
    ],
  ])('refuses %s', async (_case, file, specifier, reason) => {
    const found = await lint({
      [file]: `import { a } from '${specifier}';\nexport const b = a;\n`,
    });

    expect(found.join('\n')).toContain(reason);
  });

  it('accepts imports of types, such as those of rows, from any kind of file', async () => {
    const row = `import type { A } from './a.sql.js';\nexport type B = A;\n`;

    expect(await lint({ 'src/chat/a.controller.ts': row })).toEqual([]);
  });

  it('rejects import cycles, also of types', async () => {
    const found = await lint({
      'src/news/a.ts': `import type { B } from './b.js';\nexport interface A { b: B }\n`,
      'src/news/b.ts': `import type { A } from './a.js';\nexport interface B { a: A }\n`,
    });

    expect(found.join('\n')).toContain('ependency cycle');
  });

  it('rejects SQL text outside of *.sql.ts', async () => {
    const text = 'export const find = (db: any) => db.query(`select 1`);\n';

    const elsewhere = await lint({ 'src/chat/a.repository.ts': text.replace('any', 'Db') });
    expect(elsewhere.join('\n')).toContain('belongs in a *.sql.ts file');
    expect(await lint({ 'src/chat/a.sql.ts': text.replace('any', 'Db') })).toEqual([]);
  });

  it('rejects `private`, an `if` without braces, and more than eight dependencies', async () => {
    const names = [...'abcdefghi'].map((name) => `private readonly ${name}: string`).join(', ');

    expect((await lint({ 'src/a.ts': 'export class A { private b = 1; }\n' })).join()).toContain(
      '#name',
    );
    expect(
      (
        await lint({ 'src/b.ts': 'export function b(c: boolean) { if (c) return 1; return 2; }\n' })
      ).join(),
    ).toContain('curly');
    expect(
      (await lint({ 'src/c.ts': `export class C { constructor(${names}) {} }\n` })).join(),
    ).toContain('9 dependencies');
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
