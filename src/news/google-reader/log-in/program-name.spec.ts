import { describe, expect, it } from '@jest/globals';
import { Fields } from '../../../common/http/read-fields.js';
import { programNameOf } from './log-in.controller.js';

const nameOf = (agent: string | undefined, fields: [string, string][] = [['client', 'Tide']]) =>
  programNameOf(
    { headers: agent === undefined ? {} : { 'user-agent': agent } },
    new Fields(fields),
  );

describe('the name of a program', () => {
  it.each([
    'NetNewsWire (RSS Reader; https://netnewswire.com/)',
    'Reeder/5.4 CFNetwork/1410.0.3 Darwin/22.6.0',
    'newsboat/2.32 (Linux x86_64)',
    'Readrops 2.0 okhttp/4.12.0',
    'Node-Feed-Reader/1.0',
    'Mozilla/5.0 (X11; Linux x86_64) FluentReader/1.1.4 Electron/21.0.1',
  ])('is its user agent: %s', (agent) => {
    expect(nameOf(agent)).toBe(agent);
  });

  it.each([
    'okhttp/4.12.0',
    'Dart/3.2 (dart:io)',
    'CFNetwork/1410.0.3 Darwin/22.6.0',
    'Dalvik/2.1.0 (Linux; U; Android 14)',
    'python-requests/2.31.0',
    'curl/8.5.0',
    '',
    undefined,
  ])('is its field "client" where that is only a library: %s', (agent) => {
    expect(nameOf(agent)).toBe('Tide');
  });

  it('is "source" without "client", and the library without both', () => {
    expect(
      nameOf('okhttp/4.12.0', [
        ['client', ' '],
        ['source', 'Wind'],
      ]),
    ).toBe('Wind');
    expect(nameOf('okhttp/4.12.0', [])).toBe('okhttp/4.12.0');
  });
});
