import { describe, expect, it } from '@jest/globals';
import { commandArguments, commandOptions } from '../../src/app-api/commands/occ-command.js';
import { twoKnownApps } from '../support/two-known-apps.js';

const COMMAND = '/api/v1/occ_command';

const { app, other } = await twoKnownApps();

const register = (json: object) => app.as().ocs('POST', COMMAND, { json });
const read = (name: string) => app.as().ocs('GET', COMMAND, { query: { name } });

describe('occ_command', () => {
  it('[G85] [G86] has empty lists and is visible by default', async () => {
    const answer = await register({
      name: 'a1:ping',
      description: 'Pings',
      execute_handler: '/occ_ping',
    });

    expect(answer).toMatchObject({ statuscode: 100, data: [] });
    expect((await read('a1:ping')).data).toEqual({
      id: expect.any(Number),
      appid: 'a1',
      name: 'a1:ping',
      description: 'Pings',
      hidden: 0,
      arguments: [],
      options: [],
      usages: [],
      execute_handler: 'occ_ping',
    });
  });

  it('returns arguments, options and usages as sent', async () => {
    const inputs = {
      arguments: [
        { name: 'who', mode: 'required', description: 'Who', default: 'you' },
        { mode: 'array', name: 'more', default: ['a', 1], extra: { x: [] } },
      ],
      options: [{ name: 'loud', shortcut: 'l', mode: 'none', description: '', default: null }],
      usages: ['a1:greet you', 'a1:greet --loud you'],
    };

    await register({ name: 'a1:greet', description: '', execute_handler: 'g', ...inputs });

    expect((await read('a1:greet')).data).toMatchObject(inputs);
  });

  it('is overwritten as a whole when registered again', async () => {
    const name = 'a1:again';
    await register({ name, description: 'old', hidden: 1, executeHandler: 'o', usages: ['u'] });
    const first = (await read(name)).data as object;
    expect(first).toMatchObject({ hidden: 1, execute_handler: 'o' });

    await register({ name, description: 'new', execute_handler: 'n' });

    expect((await read(name)).data).toEqual({
      ...first,
      description: 'new',
      hidden: 0,
      usages: [],
      execute_handler: 'n',
    });
  });

  it('is unregistered by a name in the query', async () => {
    await register({ name: 'a1:gone', description: '', execute_handler: 'g' });

    const remove = () => app.as().ocs('DELETE', COMMAND, { query: { name: 'a1:gone' } });
    expect((await remove()).statuscode).toBe(100);
    expect((await remove()).statuscode).toBe(404);
    expect((await read('a1:gone')).statuscode).toBe(404);
  });

  it('is private to its app', async () => {
    await register({ name: 'a1:mine', description: '', execute_handler: 'm' });
    const query = { name: 'a1:mine' };

    expect((await other.as().ocs('GET', COMMAND, { query })).statuscode).toBe(404);
    expect((await other.as().ocs('DELETE', COMMAND, { query })).statuscode).toBe(404);
    expect((await read('a1:mine')).statuscode).toBe(100);
  });

  it.each([
    [{ name: 'n'.repeat(65), execute_handler: 'x' }, '"name" must have at most 64 characters'],
    [
      { name: 'n', description: 'd'.repeat(256), execute_handler: 'x' },
      '"description" must have at most 255',
    ],
    [{ name: 'n' }, '"executeHandler" is missing'],
    [
      { name: 'n', execute_handler: 'x', arguments: [{ mode: 'required' }] },
      '"arguments.0.name" is missing',
    ],
    [{ name: 'n', execute_handler: 'x', options: 'none' }, '"options" must be a list'],
  ])('rejects %j', async (json, message) => {
    const answer = await register(json);

    expect(answer.statuscode).toBe(400);
    expect(answer.message).toContain(`The parameter ${message}`);
  });
});

describe('parsing of arguments and options', () => {
  it.each([
    [{ mode: 'required' }, { isRequired: true, isArray: false, defaultValue: null }],
    [
      { mode: 'required', default: 'unused' },
      { isRequired: true, defaultValue: null },
    ],
    [
      { mode: 'optional', default: 'x' },
      { isRequired: false, isArray: false, defaultValue: 'x' },
    ],
    [
      { mode: 'array', default: ['x'] },
      { isRequired: false, isArray: true, defaultValue: ['x'] },
    ],
    [{ mode: 'required,array' }, { isRequired: true, isArray: true }],
    [{ mode: 'Required, Array' }, { isRequired: true, isArray: true }],
    [{ mode: 'whatever' }, { isRequired: false, isArray: false }],
    [{}, { isRequired: false, isArray: false, description: '', defaultValue: null }],
  ])('an argument %j is %j', (sent, expected) => {
    expect(commandArguments({ arguments: [{ name: 'a', ...sent }] })).toEqual([
      expect.objectContaining({ name: 'a', ...expected }),
    ]);
  });

  it.each([
    [{ mode: 'required' }, { value: 'required', isArray: false, isNegatable: false }],
    [
      { mode: 'optional', default: 5 },
      { value: 'optional', defaultValue: 5 },
    ],
    [{ mode: 'none' }, { value: 'none', shortcut: null, defaultValue: null }],
    [{}, { value: 'none' }],
    [{ mode: 'array' }, { value: 'required', isArray: true }],
    [{ mode: 'optional,array' }, { value: 'optional', isArray: true }],
    [{ mode: 'negatable' }, { value: 'none', isNegatable: true }],
    [
      { name: '--long', shortcut: '-l' },
      { name: 'long', shortcut: 'l' },
    ],
    [{ shortcut: '' }, { shortcut: null }],
  ])('an option %j is %j', (sent, expected) => {
    expect(commandOptions({ options: [{ name: 'o', ...sent }] })).toEqual([
      expect.objectContaining({ name: 'o', ...expected }),
    ]);
  });
});
