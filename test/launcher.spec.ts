import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { itLong } from './support/long.js';
import { temporaryFolder } from './support/temporary-folder.js';

const LAUNCHER = ['gatefold.mjs', 'in-service.mjs'];

const FILES = [
  'web/vite.config.ts',
  'web/tsconfig.json',
  'tools/bundle.mjs',
  'package.json',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  '.swcrc',
];

describe('In a checkout that has to be built first', () => {
  let folder: string;
  /** With a compiler that always fails. */
  beforeAll(async () => {
    folder = await temporaryFolder('checkout');
    for (const name of [
      'bin',
      'src',
      'tools/demo',
      'tools/capacity',
      'web/src',
      'web/public',
      'node_modules/.bin',
    ]) {
      await mkdir(path.join(folder, name), { recursive: true });
    }
    await Promise.all(FILES.map((name) => writeFile(path.join(folder, name), '{}')));
    await writeFile(
      path.join(folder, 'node_modules/.bin/nest'),
      'console.log("No compiler\\nhere."); process.exitCode = 1;',
    );
    await copyLauncher(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  function start(command: string, logFormat: string) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(folder, 'bin/gatefold.mjs'), command],
      {
        env: { PATH: process.env['PATH'], GATEFOLD_LOG_FORMAT: logFormat },
        encoding: 'utf8',
      },
    );
    return { status, lines: `${stdout}${stderr}`.trimEnd().split('\n') };
  }

  it('every line of the service is JSON with JSON logs', () => {
    const { status, lines } = start('serve', 'json');

    expect(status).toBe(1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ level: 30, context: 'Start', msg: 'Building Gatefold (once) …' }),
      expect.objectContaining({
        level: 60,
        time: expect.any(Number),
        msg: 'Gatefold could not be built:\nNo compiler\nhere.',
      }),
    ]);
  });

  it.each([
    ['serve', 'text'],
    ['user:list', 'json'],
  ])('the lines are for people with %s and a log in %s', (command, logFormat) => {
    expect(start(command, logFormat)).toEqual({
      status: 1,
      lines: ['Building Gatefold (once) …', 'Gatefold could not be built:', 'No compiler', 'here.'],
    });
  });
});

describe('An installed service', () => {
  let folder: string;
  /** Without sources; its program prints how it was started. */
  beforeAll(async () => {
    folder = await temporaryFolder('installed');
    for (const name of ['bin', 'dist/app']) {
      await mkdir(path.join(folder, name), { recursive: true });
    }
    await writeFile(
      path.join(folder, 'dist/app/main.js'),
      'console.log(JSON.stringify([process.execArgv, process.env.MALLOC_ARENA_MAX, process.argv.slice(2)]));',
    );
    await copyLauncher(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const howStarted = (words: readonly string[], env: NodeJS.ProcessEnv = {}): unknown =>
    JSON.parse(
      spawnSync(process.execPath, [path.join(folder, 'bin/gatefold.mjs'), ...words], {
        env: { PATH: process.env['PATH'], ...env },
        encoding: 'utf8',
      }).stdout,
    );

  it('starts with the flags and settings that keep its memory small', () => {
    expect(howStarted(['serve'])).toEqual([
      ['--max-semi-space-size=16', '--heap-growing-percent=40'],
      '2',
      ['serve'],
    ]);
  });

  it.each([
    ['commands', ['user:list'], {}],
    ["an operator's own flags", ['serve'], { NODE_OPTIONS: '--max-old-space-size=512' }],
  ])('leaves alone %s', (_what, words, env) => {
    expect(howStarted(words, env)).toEqual([[], null, words]);
  });

  itLong("prefers an operator's own setting of the allocator", () => {
    expect(howStarted(['serve'], { MALLOC_ARENA_MAX: '1' })).toEqual([
      expect.anything(),
      '1',
      ['serve'],
    ]);
  });
});

async function copyLauncher(folder: string): Promise<void> {
  for (const name of LAUNCHER) {
    await copyFile(new URL(`../bin/${name}`, import.meta.url), path.join(folder, 'bin', name));
  }
}
