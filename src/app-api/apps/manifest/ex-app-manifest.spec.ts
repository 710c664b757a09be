import { describe, expect, it } from '@jest/globals';
import { readExAppManifest } from './ex-app-manifest.js';

const read = (json: unknown, more: object = {}) => readExAppManifest({ appId: 'a', json, ...more });

describe('readExAppManifest', () => {
  it('takes the keys that operators know', () => {
    const input = read({
      id: 'a',
      name: 'A',
      version: '1.2.3',
      secret: 's:1',
      port: '9031',
      daemon_config_name: 'manual_install',
      scopes: ['ALL'],
      system: 1,
      translations_folder: '/tmp',
    });

    expect(input).toMatchObject({
      appId: 'a',
      name: 'A',
      version: '1.2.3',
      secret: 's:1',
      port: 9031,
      daemonName: 'manual_install',
      isSystem: true,
      routes: [],
    });
  });

  it('stands in for name and version', () => {
    expect(read({})).toMatchObject({
      name: 'a',
      nameMissing: true,
      version: '0.0.0',
      versionMissing: true,
    });
  });

  it('the daemon on the command line goes before the one in the JSON', () => {
    expect(read({ daemon_config_name: 'x' }, { daemonName: 'y' }).daemonName).toBe('y');
  });

  it('JSON goes before XML, key by key', () => {
    const infoXml = '<info><id>a</id><name>X</name><version>1.0.0</version></info>';

    expect(read({ version: '2.0.0' }, { infoXml })).toMatchObject({ name: 'X', version: '2.0.0' });
  });

  it.each([
    ['at the root', { routes: [{ url: '.*', verb: 'GET', access_level: 1 }] }],
    [
      'below external-app',
      { 'external-app': { routes: [{ url: '.*', verb: 'get', access_level: 'USER' }] } },
    ],
    [
      'as XML becomes',
      { 'external-app': { routes: { route: { url: '.*', verb: 'GET', access_level: '1' } } } },
    ],
  ])('finds routes %s', (_where, json) => {
    expect(read(json).routes).toEqual([
      { url: '.*', verb: 'GET', accessLevel: 1, headersToExclude: [], bruteforceStatuses: [] },
    ]);
  });

  it('takes lists of a route as lists and as text', () => {
    const route = { url: 'a', verb: 'GET', access_level: 0 };
    const asText = { ...route, headers_to_exclude: '["X-A"]', bruteforce_protection: '[401, 403]' };
    const asList = { ...route, headers_to_exclude: ['X-A'], bruteforce_protection: [401, 403] };

    expect(read({ routes: [asText] })).toEqual(read({ routes: [asList] }));
    expect(read({ routes: [asList] }).routes).toMatchObject([
      { headersToExclude: ['x-a'], bruteforceStatuses: [401, 403] },
    ]);
  });

  it('takes the slash off an address, and keeps its path', () => {
    expect(read({ base_url: 'https://example.org/apps/a/' }).baseUrl).toBe(
      'https://example.org/apps/a',
    );
  });

  it.each([
    [{ base_url: 'file:///etc' }, '"base_url" must be an http or https address'],
    [{ port: 0 }, '"port" must be a whole number from 1 to 65535'],
    [
      { routes: [{ url: '(?!a).*', verb: 'GET', access_level: 0 }] },
      '"routes.0.url" must not look ahead',
    ],
    [{ routes: [{ url: 'a', verb: '', access_level: 0 }] }, '"routes.0.verb" must be verbs'],
    [{ routes: [{ url: 'a', verb: 'GET', access_level: 3 }] }, '"routes.0.access_level" must be'],
    [
      { routes: [{ url: 'a', verb: 'GET', access_level: 0, headers_to_exclude: 'x' }] },
      'headers_to_exclude',
    ],
    [{ id: 'b' }, 'is called "a" here and "b" in its info'],
    ['[]', 'The JSON about the app cannot be read'],
    ['nonsense', 'The JSON about the app cannot be read'],
  ])('refuses %j', (json, message) => {
    expect(() => read(json)).toThrow(message);
  });

  it.each(['', 'a b', '../a', '-a', 'a'.repeat(65)])('refuses the id "%s"', (appId) => {
    expect(() => readExAppManifest({ appId })).toThrow('The id of an app has 1 to 64');
  });

  it.each([
    ['no XML', 'cannot be read'],
    ['<info><id>a</info>', 'line 1'],
    ['<other/>', 'its root is not <info>'],
    ['<!DOCTYPE x [<!ENTITY e "e">]><info><id>&e;</id></info>', 'must not have a DOCTYPE'],
  ])('refuses the info.xml %s', (infoXml, message) => {
    expect(() => readExAppManifest({ infoXml })).toThrow(message);
  });
});
