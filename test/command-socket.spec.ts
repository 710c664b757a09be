import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { aServiceProcess, type ServiceProcess } from './support/a-service-process.js';
import { rss, startFeedServer, type FeedServer } from './support/feed-server.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { createTestDatabase, type TestDatabase } from './support/test-database.js';
import { until, within } from './support/until.js';

const CHECKOUT = new URL('../', import.meta.url).pathname;
const PROGRAM_ID = 'dist/app/program-id.txt';

let database: TestDatabase;
let publisher: FeedServer;
let service: ServiceProcess;
let dataDir: string;
let socket: string;
/** An installation whose own program prints only that it was loaded. */
let program: string;

beforeAll(async () => {
  [database, publisher, dataDir, program] = await Promise.all([
    createTestDatabase(),
    startFeedServer(),
    temporaryFolder('commands'),
    temporaryFolder('installed'),
  ]);
  await Promise.all(
    ['bin', 'dist/app'].map((name) => mkdir(path.join(program, name), { recursive: true })),
  );
  const files = ['bin/gatefold.mjs', 'bin/in-service.mjs', PROGRAM_ID];
  for (const file of files.filter((name) => existsSync(path.join(CHECKOUT, name)))) {
    await copyFile(path.join(CHECKOUT, file), path.join(program, file));
  }
  await writeFile(path.join(program, 'dist/app/main.js'), "console.log('Loaded here.');");
  const host = createHash('sha256').update(os.hostname()).digest('hex').slice(0, 8);
  socket = path.join(dataDir, `command-${host}.sock`);
  // One that a former process has left is replaced.
  await leaveSocket(socket);
  service = await aServiceProcess(database.url, { GATEFOLD_DATA_DIR: dataDir });
  await until('the socket', async () => (await gatefold('user:list')).output !== HERE.output);
});
afterAll(async () => {
  await (service.isRunning() ? service.stop() : undefined);
  await Promise.all([database.drop(), publisher.close(), rm(program, { recursive: true })]);
});

const sockets = async () => (await readdir(dataDir)).filter((name) => name.endsWith('.sock'));

function start(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [path.join(program, 'bin/gatefold.mjs'), ...words], {
    env: { PATH: process.env['PATH'], GATEFOLD_DATA_DIR: dataDir, ...env },
  });
}

async function outcome(child: ChildProcessWithoutNullStreams) {
  const ended = once(child, 'close');
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, output, complaints };
}

async function gatefold(...words: string[]) {
  const child = start(words);
  child.stdin.end();
  return outcome(child);
}

const HERE = { code: 0, output: 'Loaded here.\n', complaints: '' };

describe('A command beside a running service', () => {
  it('runs in the service, without loading its program', async () => {
    expect(await gatefold('user:add', 'ada', '--display-name', 'Ada')).toEqual({
      code: 0,
      output: expect.stringMatching(/^Created user "ada"\.\nThe password is \S+ \(it is/),
      complaints: '',
    });
    const { output } = await gatefold('user:list', '--json');
    expect(JSON.parse(output)).toContainEqual(expect.objectContaining({ displayName: 'Ada' }));
  });

  it.each([
    [['user:add', 'ada', '--passwort'], 2, "error: unknown option '--passwort'\n"],
    [['user:lst'], 2, '(Did you mean user:list?)'],
    [['user:promote', 'nobody'], 1, 'There is no user "nobody".\n'],
    [['user:delete', 'ada'], 1, 'Deleting user "ada" cannot be undone; confirm with --yes.\n'],
    [['nobodys:command'], 2, "unknown command 'nobodys:command'"],
  ])('reports the failure of %j with the exit status %d', async (words, code, complaint) => {
    const { complaints, ...rest } = await gatefold(...words);

    expect(rest).toEqual({ code, output: '' });
    expect(complaints).toContain(complaint);
  });

  it('fetches a feed', async () => {
    publisher.publish('/f', rss({ title: 'F', link: publisher.url('/'), items: [] }));
    await gatefold('user:add', 'reader');
    await gatefold('news:feed:add', 'reader', publisher.url('/f'));
    const { output } = await gatefold('news:feed:list', 'reader', '--json');
    const [feed] = JSON.parse(output) as { id: number }[];

    expect(await gatefold('news:updater:update-feed', String(feed?.id), 'reader')).toEqual({
      code: 0,
      output: 'Updated 1 feeds of user "reader", 0 failed, 0 rest as their publishers ask.\n',
      complaints: '',
    });
  });

  it('takes the environment variables of its caller, and none of their values are logged', async () => {
    const password = 'a password in the environment';
    const words = ['user:add', 'bob', '--password-from-env', 'BOBS'];
    const { output } = await outcome(start(words, { BOBS: password }));

    expect(output).toBe('Created user "bob".\n');
    const authorization = `Basic ${Buffer.from(`bob:${password}`).toString('base64')}`;
    const answer = await fetch(`${service.url}/ocs/v2.php/cloud/user`, {
      headers: { authorization, 'OCS-APIRequest': 'true' },
    });
    expect(answer.status).toBe(200);
    expect(service.log()).not.toContain(password);
  });

  it('prints and knows nothing of others that run at the same time', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `u${index}`);

    const all = await Promise.all(
      names.map((name, index) =>
        gatefold(
          index % 2 === 0 ? 'user:add' : 'user:promote',
          name,
          ...(index % 4 ? [] : ['--x']),
        ),
      ),
    );

    expect(all.map(({ code }) => code)).toEqual(names.map((_, index) => [2, 1, 0, 1][index % 4]));
    expect(
      all.every(({ output, complaints }, index) => {
        const others = names.filter((name) => name !== names[index]);
        return others.every((name) => !`${output}${complaints}`.includes(`"${name}"`));
      }),
    ).toBe(true);
  });

  it('ends by Ctrl-C at once, and leaves the service unharmed', async () => {
    const release = publisher.hang('/hanging');
    await gatefold('user:add', 'impatient');
    const child = start(['news:feed:add', 'impatient', publisher.url('/hanging')]);
    await publisher.whenAsked('/hanging');
    child.kill('SIGINT');

    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
    release();
    expect((await gatefold('user:list')).code).toBe(0);
  });

  it('goes on when the reader of its output has closed it', async () => {
    const child = start(['user:add', 'headless']);
    child.stdout.destroy();
    const [code] = (await once(child, 'close')) as [number];

    expect(code).toBe(0);
    expect((await gatefold('user:list')).output).toContain('headless');
  });
});

describe('A command runs in its own process', () => {
  it.each([
    ['if it reads files or streams', ['news:opml:export', 'ada'], {}],
    ['if it examines the machine', ['doctor'], {}],
    ['with another setting than the service', ['user:list'], { GATEFOLD_PARTS: 'reader' }],
    ['with another data folder', ['user:list'], { GATEFOLD_DATA_DIR: '/nowhere' }],
    ['if it cannot look', ['user:list'], { GATEFOLD_DATA_DIR: '/dev/null' }],
    [
      'if its words are too long',
      ['user:add', ...Array.from({ length: 3 }, () => 'x'.repeat(100_000))],
      {},
    ],
  ])('%s', async (_case, words, env) => {
    expect(await outcome(start(words, env))).toEqual(HERE);
  });

  it('if its program is another version', async () => {
    const file = path.join(program, PROGRAM_ID);
    const former = existsSync(path.join(CHECKOUT, PROGRAM_ID));
    await writeFile(file, 'another');
    try {
      expect(await gatefold('user:list')).toEqual(HERE);
    } finally {
      await (former ? copyFile(path.join(CHECKOUT, PROGRAM_ID), file) : rm(file));
    }
  });

  it('if the service is stopped or does not answer', async () => {
    service.signal('SIGSTOP');
    try {
      expect(await gatefold('user:list')).toEqual(HERE);
    } finally {
      service.signal('SIGCONT');
    }
  });
});

describe('The socket of commands', () => {
  it('is for the user of the service alone', async () => {
    const { mode } = await stat(socket);

    expect(mode & 0o777).toBe(0o600);
  });

  const FIRST = {
    programId: '',
    words: ['user:passwd', 'ada'],
    settings: {},
    isInteractive: true,
    stdout: { isTTY: true },
    stderr: { isTTY: true },
  };

  /** Says these, one after each answer; resolves with what came when the service closes. */
  async function converse(...messages: (object | string)[]): Promise<unknown[]> {
    const connection = connect(socket);
    const heard: unknown[] = [];
    const say = () => {
      const next = messages.shift();
      if (next !== undefined) {
        connection.write(typeof next === 'string' ? next : `${JSON.stringify(next)}\n`);
      }
    };
    connection.on('connect', say).on('error', () => {});
    connection.setEncoding('utf8').on('data', (lines: string) => {
      for (const line of lines.split('\n').filter(Boolean)) {
        heard.push(JSON.parse(line));
        say();
      }
    });
    const closed = new Promise((resolve) => connection.once('close', resolve));
    await within('the end of the connection', closed, 20);
    return heard;
  }

  it('asks the caller, and takes Ctrl-C as an answer', async () => {
    const programId = existsSync(path.join(CHECKOUT, PROGRAM_ID))
      ? readFileSync(path.join(CHECKOUT, PROGRAM_ID), 'utf8')
      : '';

    expect(
      await converse({ ...FIRST, programId }, { go: true }, { answer: 'x' }, { answer: null }),
    ).toEqual([
      { isTaken: true },
      { ask: 'secret', what: 'Password: ' },
      { ask: 'secret', what: 'Once more: ' },
      { stderr: 'Cancelled; nothing was changed.\n' },
      { exitCode: 1 },
    ]);
  });

  it.each([
    ['words without a meaning', 'not JSON\n'],
    ['other messages', { words: ['user:list'] }],
    ['messages without an end', 'x'.repeat(300_000)],
  ])('is closed to %s', async (_what, message) => {
    expect(await converse(message)).toEqual([]);
    expect((await gatefold('user:list')).code).toBe(0);
  });
});

describe('The program of a command', () => {
  const TAKEN = '{"isTaken":true}\n{"ask":"line","what":"Sure? "}\n';

  /** A service that asks, and ends after so many further messages, with some output. */
  async function pretend(most: number): Promise<{ folder: string; heard: unknown[] }> {
    const folder = await temporaryFolder('pretended');
    const heard: unknown[] = [];
    const server = createServer((connection) => {
      connection.setEncoding('utf8').once('data', () => {
        connection.write(TAKEN);
        connection.on('data', (lines: string) => {
          heard.push(...lines.trim().split('\n'));
          if (heard.length === most) {
            connection.end('{"stdout":"half"}\n');
            server.close();
          }
        });
      });
    });
    server.listen(path.join(folder, path.basename(socket)));
    await once(server, 'listening');
    return { folder, heard };
  }

  it('answers from its own input, and fails if the service ends before the command', async () => {
    const { folder, heard } = await pretend(2);
    const child = start(['user:delete', 'ada'], { GATEFOLD_DATA_DIR: folder });
    child.stdin.end('yes\n');

    expect(await outcome(child)).toEqual({
      code: 1,
      output: 'Sure? half',
      complaints: 'The service ended before this command did.\n',
    });
    expect(heard).toEqual(['{"go":true}', '{"answer":"yes"}']);
  });

  it('does not wait for an answer when the service has ended', async () => {
    const { folder } = await pretend(1);

    const { code } = await outcome(start(['user:delete', 'ada'], { GATEFOLD_DATA_DIR: folder }));
    expect(code).toBe(1);
  });
});

describe('When the service stops', () => {
  it('its socket goes, and commands run as without it', async () => {
    await service.stop();

    expect(await sockets()).toEqual([]);
    expect(await gatefold('user:list')).toEqual(HERE);
  });

  it('by a kill, commands run as without it', async () => {
    await leaveSocket(socket);

    expect(await gatefold('user:list')).toEqual(HERE);
  });
});

/** As a killed process does. */
async function leaveSocket(place: string): Promise<void> {
  const server = createServer().listen(`${place}-draft`);
  await once(server, 'listening');
  await rename(`${place}-draft`, place);
  server.close();
}
