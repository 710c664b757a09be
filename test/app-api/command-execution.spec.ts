import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import { CommandExecutionService } from '../../src/app-api/commands/command-execution.service.js';
import { callsExApp, runExAppCommand } from '../../src/app-api/commands/ex-app-commands.js';
import type { OccCommandFields } from '../../src/app-api/commands/occ-command.js';
import type { WithApp } from '../../src/common/command-line/with-app.js';
import { knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { once, within } from '../support/until.js';

let app: TestApp;
let external: ExternalApp;
beforeAll(async () => {
  app = await startApp();
  external = await startExternalApp(app, { appId: 'cli' });
  await knowApp(app, external);
  external.on('/run', (_request, response) => {
    response.end('done\n');
  });
});
beforeEach(() => app.database.query('delete from ex_app_registration'));
afterAll(async () => {
  await external.close();
  await app.stop();
});

const withApp: WithApp = (work) => work(app.inside);

const fieldsOf = (name: string): OccCommandFields => ({
  name,
  description: `Does ${name}`,
  hidden: false,
  arguments: [],
  options: [],
  usages: [],
  executeHandler: 'run',
});

async function register(name: string, change: Partial<OccCommandFields> = {}): Promise<void> {
  const fields = { ...fieldsOf(name), ...change };
  await app.inside(RegistrationsRepository).save('cli', 'occ_command', name, fields);
}

/** A built-in command, and no messages on the terminal. */
function program(): Command {
  const built = new Command('gatefold').exitOverride().configureOutput({ writeErr: () => {} });
  built.command('cli:sleep');
  return built;
}

/** The output of the command. */
async function run(...words: string[]): Promise<string> {
  const output = Object.assign(new PassThrough(), { isTTY: false });
  const printed = text(output);
  try {
    await runExAppCommand(program(), withApp, words, output);
  } finally {
    output.end();
  }
  return printed;
}

/** The request that the app received for the words. */
async function told(...words: string[]): Promise<unknown> {
  const before = external.requests('/run').length;
  await run(...words);
  const { body } = await external.received('/run', before + 1);
  return JSON.parse(body.toString());
}

describe('a command of an external app', () => {
  it('[G87] posts the parsed words without a user, and prints the response', async () => {
    await register('cli:greet', {
      arguments: [{ name: 'who', mode: 'required' }],
      options: [{ name: 'loud', mode: 'none' }],
    });

    const printed = await run('cli:greet', 'Ada', '--loud');

    const received = external.requests('/run').at(-1);
    expect(printed).toBe('done\n');
    expect(received).toMatchObject({ method: 'POST', userId: '', authenticated: true });
    expect(JSON.parse(String(received?.body))).toEqual({
      occ: { arguments: { who: 'Ada' }, options: { loud: true } },
    });
  });

  it('[G87] posts null for missing arguments and options', async () => {
    await register('cli:plain');

    expect(await told('cli:plain')).toEqual({ occ: { arguments: null, options: null } });
  });

  it('[G87] prints while the app is still sending', async () => {
    await register('cli:slow', { executeHandler: 'slow' });
    let appWrites: (response: ServerResponse) => void = () => {};
    const writing = new Promise<ServerResponse>((resolve) => (appWrites = resolve));
    external.on('/slow', (_request, response) => {
      response.flushHeaders();
      appWrites(response);
    });
    const output = Object.assign(new PassThrough(), { isTTY: false });

    const running = runExAppCommand(program(), withApp, ['cli:slow'], output);
    const response = await within('the command to reach the app', writing);
    for (const piece of ['one', 'two']) {
      response.write(piece);
      expect(String(await once(output, 'data'))).toBe(piece);
    }
    response.end();

    await expect(running).resolves.toBeUndefined();
  });

  it('removes markup without colours, in chunks of any size', async () => {
    await register('cli:colours', { executeHandler: 'colours' });
    external.on('/colours', async (_request, response) => {
      const bytes = Buffer.from('<info>gré</info> <b> \\<info> 1 < 2 <fg=red;options=bold>x</>');
      for (const byte of bytes) {
        await new Promise((resolve) => response.write(Buffer.from([byte]), resolve));
      }
      response.end();
    });

    expect(await run('cli:colours')).toBe('gré <b> <info> 1 < 2 x');
  });

  it('passes on no escape sequence of the app to a terminal', async () => {
    await register('cli:escapes', {
      executeHandler: 'escapes',
      description: '\u001B]0;title\u0007',
    });
    external.on('/escapes', (_request, response) => {
      response.end('10 %\r\u001B]52;c;c3VkbyByZWJvb3Q=\u0007<info>done</info>\u009B2J\u202E\n');
    });
    const output = Object.assign(new PassThrough(), { isTTY: true });

    await runExAppCommand(program(), withApp, ['cli:escapes'], output);
    const printed = String(output.read());
    await runExAppCommand(program(), withApp, ['help', 'cli:escapes'], output);

    expect(printed).toBe(
      '10 %\r\uFFFD]52;c;c3VkbyByZWJvb3Q=\uFFFD\u001B[0m\u001B[32mdone\u001B[0m\uFFFD2J\uFFFD\n',
    );
    expect(String(output.read())).not.toContain('\u001B');
  });

  it.each([500, 404, 204])('[G88] fails if the app answers %i', async (status) => {
    await register('cli:bad', { executeHandler: 'bad' });
    external.on('/bad', (_request, response) => {
      response.writeHead(status).end();
    });

    await expect(run('cli:bad')).rejects.toThrow(
      `[cli:bad] command executeHandler failed: the app answered with status ${status}.`,
    );
  });

  it('[G88] fails if the app is unreachable or closes the connection', async () => {
    const down = await startExternalApp(app, { appId: 'down' });
    await knowApp(app, down);
    await down.close();
    await app.inside(RegistrationsRepository).save('down', 'occ_command', 'down:x', {
      name: 'down:x',
      description: '',
      hidden: false,
      arguments: [],
      options: [],
      usages: [],
      executeHandler: 'x',
    } satisfies OccCommandFields);
    await register('cli:half', { executeHandler: 'half' });
    external.on('/half', (_request, response) => {
      response.write('half', () => response.destroy());
    });

    await expect(run('down:x')).rejects.toThrow(
      '[down:x] command executeHandler failed: The server at',
    );
    await expect(run('cli:half')).rejects.toThrow(
      'closed the connection before the command was finished',
    );
  });

  it('cannot be taken by another app, and is called with the prefix of its own', async () => {
    const other = await startExternalApp(app, { appId: 'exam7' });
    await knowApp(app, other);
    const names = async () =>
      (await app.inside(CommandExecutionService).list()).map(({ fields }) => fields.name);
    await register('exam7:go');
    await register('hello');
    // An abbreviation, as apps in the field use.
    await register('c:ping');
    expect(await names()).toEqual(['c:ping', 'cli:exam7:go', 'cli:hello']);
    expect(await run('cli:hello')).toBe('done\n');
    await expect(run('exam7:go')).rejects.toThrow("unknown command 'exam7:go'");

    const fields = { ...fieldsOf('exam7:go'), executeHandler: 'other' };
    await app.inside(RegistrationsRepository).save('exam7', 'occ_command', 'exam7:go', fields);
    await app.inside(RegistrationsRepository).save('exam7', 'occ_command', 'c:ping', {
      ...fieldsOf('c:ping'),
    });
    other.on('/other', (_request, response) => {
      response.end('mine');
    });

    expect(await run('exam7:go')).toBe('mine');
    expect(await names()).toEqual([
      'cli:c:ping',
      'cli:exam7:go',
      'cli:hello',
      'exam7:c:ping',
      'exam7:go',
    ]);
    await other.close();
    await app.database.query("delete from ex_app where app_id = 'exam7'");
  });

  it('[G89] is unknown while its app is disabled', async () => {
    await register('cli:asleep');
    const apps = app.inside(ExAppsRepository);
    await apps.setEnabled('cli', false);

    const listed = await app.inside(CommandExecutionService).list();
    const running = run('cli:asleep');

    await expect(running).rejects.toThrow(
      "unknown command 'cli:asleep'\n(Did you mean cli:sleep?)",
    );
    expect(listed).toEqual([]);
    await apps.setEnabled('cli', true);
  });

  it('has a generated --help, unless the command defines that option', async () => {
    await register('cli:helpful', {
      arguments: [
        { name: 'who', mode: 'required', description: 'A name' },
        { name: 'more', mode: 'array', default: ['x'] },
      ],
      options: [{ name: 'size', shortcut: 's', mode: 'optional', description: 'How large' }],
      usages: ['Ada --size=3'],
    });
    await register('cli:own', { options: [{ name: 'help', mode: 'none' }] });

    const help = await run('cli:helpful', '--help');

    expect(help).toContain('Does cli:helpful');
    expect(help).toContain('cli:helpful [options] [--] <who> [<more>...]');
    expect(help).toContain('cli:helpful Ada --size=3');
    expect(help).toContain('[default: ["x"]]');
    expect(help).toMatch(/-s, --size\[=SIZE\]\s+How large/);
    expect(await run('help', 'cli:helpful')).toBe(help);
    expect(await told('cli:own', '--help')).toMatchObject({ occ: { options: { help: true } } });
  });
});

describe('the words after a command', () => {
  const ARGUMENTS = [
    { name: 'first', mode: 'required' },
    { name: 'second', mode: 'optional', default: 'fallback' },
    { name: 'rest', mode: 'array' },
  ];
  const OPTIONS = [
    { name: 'must', shortcut: 'm', mode: 'required' },
    { name: 'preset', mode: 'required', default: 'p' },
    { name: 'may', shortcut: 'y', mode: 'optional', default: 'd' },
    { name: 'list', shortcut: 'l', mode: 'array' },
    { name: 'flag', shortcut: 'f', mode: 'none' },
    { name: 'dry-run', mode: 'none' },
    { name: 'colour', mode: 'negatable' },
  ];
  const DEFAULTS = {
    must: null,
    preset: 'p',
    may: 'd',
    list: [],
    flag: false,
    'dry-run': false,
    colour: null,
  };
  beforeEach(() => register('cli:words', { arguments: ARGUMENTS, options: OPTIONS }));

  it.each([
    [['a'], { first: 'a', second: 'fallback', rest: [] }],
    [['a', 'b', 'c', 'd'], { first: 'a', second: 'b', rest: ['c', 'd'] }],
    [['--', '--flag', '-m'], { first: '--flag', second: '-m', rest: [] }],
    [['-'], { first: '-', second: 'fallback', rest: [] }],
    [[''], { first: '', second: 'fallback', rest: [] }],
  ])('%j are arguments %j', async (words, expected) => {
    expect(await told('cli:words', ...words)).toEqual({
      occ: { arguments: expected, options: DEFAULTS },
    });
  });

  it.each([
    [['--must', 'v'], { must: 'v' }],
    [['--must=v=w'], { must: 'v=w' }],
    [['--must='], { must: '' }],
    [['-mv'], { must: 'v' }],
    [['-m', 'v'], { must: 'v' }],
    [['--may'], { may: null }],
    [['--may', '--flag'], { may: null, flag: true }],
    [['--may', 'v'], { may: 'v' }],
    [['-yv'], { may: 'v' }],
    [['--list', '1', '-l2', '--list=3'], { list: ['1', '2', '3'] }],
    [['-f'], { flag: true }],
    [['-fmv'], { flag: true, must: 'v' }],
    [['--dry-run'], { 'dry-run': true }],
    [['--colour'], { colour: true }],
    [['--no-colour'], { colour: false }],
    [['--must', 'v', '--must', 'w'], { must: 'w' }],
  ])('%j are options %j', async (words, expected) => {
    expect(await told('cli:words', 'a', ...words)).toMatchObject({
      occ: { options: { ...DEFAULTS, ...expected } },
    });
  });

  it.each([
    [[], 'Not enough arguments (missing: "first").'],
    [['a', '--unknown'], 'The "--unknown" option does not exist.'],
    [['a', '-x'], 'The "-x" option does not exist.'],
    [['a', '--must'], 'The "--must" option requires a value.'],
    [['a', '--must', '--flag'], 'The "--must" option requires a value.'],
    [['a', '--flag=1'], 'The "--flag" option does not accept a value.'],
    [['a', '--no-flag'], 'The "--no-flag" option does not exist.'],
    [['a', '--no-colour=1'], 'The "--no-colour" option does not accept a value.'],
  ])('%j are rejected', async (words, message) => {
    const before = external.requests('/run').length;

    await expect(run('cli:words', ...words)).rejects.toThrow(message);
    expect(external.requests('/run')).toHaveLength(before);
  });

  it('are rejected if there are too many', async () => {
    await register('cli:none');
    await register('cli:one', { arguments: [{ name: 'only' }] });

    await expect(run('cli:none', 'x')).rejects.toThrow(
      'No arguments expected for "cli:none" command, got "x".',
    );
    await expect(run('cli:one', 'x', 'y')).rejects.toThrow(
      'Too many arguments, expected arguments "only".',
    );
  });
});

describe('the command line', () => {
  const program = new Command('gatefold');
  program.command('user:add');

  it.each([
    [['app:command'], true],
    [['help', 'app:command'], true],
    [['user:add', 'x:y'], false],
    [['help', 'user:add'], false],
    [['serve'], false],
    [['--version:x'], false],
  ])('treats %j as a command of an app: %s', (words, expected) => {
    expect(callsExApp(program, words)).toBe(expected);
  });
});
