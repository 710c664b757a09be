import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { globSync, readFileSync } from 'node:fs';
import { allCommands } from '../src/cli/run.js';
import { runCommand } from './support/run-command.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { createTestDatabase, type TestDatabase } from './support/test-database.js';

/** `app_api:app:register` and `update`, which read files, are marked; the others do not. */
const MIXED = ['src/app-api/administration/apps.commands.ts'];

const { program } = await allCommands();
const visible = program.createHelp().visibleCommands(program);
const named = (commands: readonly Command[]) =>
  commands.map((command): [string, Command] => [command.name(), command]);

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  [database, dataDir] = await Promise.all([createTestDatabase(), temporaryFolder('command-line')]);
});
afterAll(() => database.drop());

async function gatefold(...words: string[]) {
  const settings = { DATABASE_URL: database.url, GATEFOLD_DATA_DIR: dataDir };
  const { code, output, complaints } = await runCommand(words, settings);
  return { code, output: output.toString(), complaints };
}

describe('the help', () => {
  it('lists all commands below headings, each on one or two lines of 80 columns', () => {
    const help = program.helpInformation();

    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const places = help.split(/\n(?= {2}\S)/).slice(1);
    const entries = places.map((entry) => entry.split('\n\n')[0] ?? '');
    expect(entries.filter((entry) => entry.trim().split('\n').length > 2)).toEqual([]);
    expect(help.match(/^[A-Z].*:$/gm)).toEqual([
      'Options:',
      'Commands:',
      'Accounts:',
      'Security:',
      'Database, files and backups:',
      'Feeds:',
      'External apps:',
    ]);
    expect(visible.every((command) => help.includes(`\n  ${command.name()} `))).toBe(true);
  });

  it.each(named(visible))('of %s has 80 columns', (_name, command) => {
    const lines = command.helpInformation().split('\n');

    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('a command that uses its own process', () => {
  it('is marked, since a service would take it over', () => {
    const files = globSync(['src/**/*.command{,s}.ts', 'tools/**/*.command.ts']);
    const using = files.filter((file) =>
      /\bprocess\.|from 'node:fs|readInfo\(/.test(readFileSync(file, 'utf8')),
    );
    const unmarked = using.filter((file) =>
      /(?<!inOwnProcess\(\s*program)\s*\.command\(/.test(readFileSync(file, 'utf8')),
    );

    expect(using.length).toBeGreaterThan(5);
    expect(unmarked).toEqual(MIXED);
  });
});

describe('every list', () => {
  const lists = visible.filter(
    (command) => /(^|:)list$/.test(command.name()) || /^(list|show) /.test(command.description()),
  );

  it.each(named(lists))('%s prints JSON for programs', (_name, command) => {
    expect(command.options.map(({ long }) => long)).toContain('--json');
  });

  it('prints JSON for --output=json, too, as scripts for Nextcloud have it', async () => {
    const asked = await gatefold('app_api:daemon:list', '--output=json');

    expect(asked).toEqual(await gatefold('app_api:daemon:list', '--json'));
    expect(JSON.parse(asked.output)).toEqual([]);
  });
});

describe('the exit status', () => {
  it('is 2 for an unknown or missing option of every command', async () => {
    const others: string[] = [];
    for (const name of visible.map((command) => command.name())) {
      const { code, complaints } = await gatefold(name, '--not-an-option');
      if (code !== 2 || !/^error: (unknown|required) option '--/.test(complaints)) {
        others.push(name);
      }
    }

    expect(others).toEqual([]);
  });

  it.each([
    [['user:add'], "missing required argument 'name'"],
    [['user:list', '--output=yaml'], "unknown option '--output"],
    [['user:lst'], "unknown command 'user:lst'\n(Did you mean user:list?)"],
    [['help', 'backups'], "unknown command 'backups'\n(Did you mean backup?)"],
    [['user:list', '--jsn'], '(Did you mean --json?)'],
    [['session:revoke', 'ada', 'x'], 'It must be a whole number.'],
    [['audit:export', '--from', 'x'], 'It is no time such as'],
    [['app_api:app:update'], 'There is no app store'],
  ])('of %j is 2, with the fault', async (words, complaint) => {
    const { code, complaints } = await gatefold(...words);

    expect(complaints).toContain(complaint);
    expect(code).toBe(2);
  });

  it.each([
    [['user:passwd', 'nobody'], 'There is no user "nobody".\n'],
    [['news:opml:import', 'ada', '/nowhere/x'], '/nowhere/x: there is no such file or folder.\n'],
    [['news:opml:import', 'ada', '/'], '/: it is a folder.\n'],
    [['backup:verify', '/nowhere/x'], '/nowhere/x: there is no such file or folder.\n'],
  ])('of %j is 1, with the reason', async (words, complaints) => {
    expect(await gatefold(...words)).toEqual({ code: 1, output: '', complaints });
  });

  it.each([[['--help']], [['help', 'user:add']], [['list']]])('of %j is 0', async (words) => {
    const { code, output, complaints } = await gatefold(...words);

    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    expect(output).toMatch(/^Usage: gatefold/);
  });
});
