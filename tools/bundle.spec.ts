import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SourcePositions } from '../src/common/logging/source-positions.js';
import { temporaryFolder } from '../test/support/temporary-folder.js';

const BUNDLER = fileURLToPath(new URL('bundle.mjs', import.meta.url));

const SOURCES = {
  'main.ts': `
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { Failing } from './rooms/failing.js';

const texts = readFileSync(new URL('./en.json', import.meta.url), 'utf8');
new Worker(new URL('./echo.worker.js', import.meta.url)).once('message', (ofWorker: string) => {
  try {
    new Failing().fail();
  } catch (error) {
    console.log(JSON.stringify({ texts, ofWorker, stack: (error as Error).stack }));
  }
});
`,
  'rooms/failing.ts': `
export interface Erased {
  readonly name: string;
}
export class Failing {
  fail(): Erased {
    throw new RangeError('größer');
  }
}
`,
  'rooms/echo.worker.ts': `
import { parentPort } from 'node:worker_threads';
import { Failing } from './failing.js';
parentPort?.postMessage(Failing.name);
`,
};

describe('The bundle', () => {
  let folder: string;
  let app: string;
  let built: SpawnSyncReturns<string>;
  let printed: { texts: string; ofWorker: string; stack: string };
  beforeAll(async () => {
    folder = realpathSync(await temporaryFolder('bundle'));
    const dist = path.join(folder, 'dist');
    app = path.join(dist, 'app');
    const write = (name: string, text: string) => {
      const file = path.join(dist, 'src', name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    write('common/texts/en.json', '{}');
    for (const [name, source] of Object.entries(SOURCES)) {
      const compiled = name.replace(/ts$/, 'js');
      const sourceFileName = path.relative(path.dirname(`dist/src/${name}`), `src/${name}`);
      const { code, map } = transformSync(source, {
        filename: name,
        sourceFileName,
        sourceMaps: true,
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
      });
      write(compiled, code);
      write(`${compiled}.map`, map ?? '');
    }
    built = spawnSync(process.execPath, [BUNDLER, dist], { encoding: 'utf8' });
    const run = spawnSync(process.execPath, [path.join(app, 'main.js')], { encoding: 'utf8' });
    printed = JSON.parse(run.stdout) as typeof printed;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is made without a warning', () => {
    expect(built).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('has the texts and the threads beside the program, and keeps names', () => {
    expect(printed).toMatchObject({ texts: '{}', ofWorker: 'Failing' });
  });

  it('has a map by which the log names files and lines of the source', () => {
    const [first, ...places] = new SourcePositions(app).inStack(printed.stack).split('\n');

    expect(first).toBe('RangeError: größer');
    expect(places[0]).toBe('    at Failing.fail (src/rooms/failing.ts:7:11)');
    expect(places[1]).toMatch(/src\/main\.ts:9:\d+\)$/);
  });

  it.each([
    'file:///elsewhere/b.js:1:2',
    'node:internal/c:3:4',
    'file://host/b.js:1:2',
    'file:///%2F%/b.js:1:2',
  ])('leaves %s as it is', (place) => {
    const stack = `Error: ${place}\n    at a (${place})`;

    expect(new SourcePositions(app).inStack(stack)).toBe(stack);
  });

  it('reads a long message once', () => {
    const stack = 'file:///'.repeat(200_000);

    expect(new SourcePositions(app).inStack(stack) === stack).toBe(true);
  });

  it('leaves files without a map as they are', () => {
    const stack = `Error: x\n    at a (${pathToFileURL(app).href}/other.js:1:1)`;

    expect(new SourcePositions(app).inStack(stack)).toBe(stack);
  });
});
