import { describe, expect, it } from '@jest/globals';
import { EdgeRules } from '../config/edge-rules.js';
import { faultOfTarget, originForm } from './request-target.js';

describe('originForm', () => {
  it.each([
    ['/a?b=http://x/', '/a?b=http://x/'],
    ['http://reader.example/a?b', '/a?b'],
    ['HTTPS://Reader.Example/a', '/a'],
    ['http://reader.example', '/'],
    ['http://reader.example?a', '/?a'],
    ['*', '*'],
  ])('takes %s for %s', (target, path) => {
    expect(originForm(target, 'reader.example')).toBe(path);
  });

  it.each([
    'http://other.example/a',
    'http://reader.example@other.example/',
    'http://reader.example:81/',
  ])('refuses %s', (target) => {
    expect(originForm(target, 'reader.example')).toBeNull();
  });
});

const PROXIED = { path: /^\/(?:apps\/app_api\/proxy|exapps)(?:\/|$)/i, strictPath: true } as const;
const isStrict = (path: string) => new EdgeRules([PROXIED]).isStrict(path);

describe('faultOfTarget', () => {
  it.each([
    '/',
    '/apps/news/?a=1;b=2&c=%2F%5C',
    '/remote.php/dav/files/ada/100%2525%3B;%5C.txt',
    '/exapps/tools/a..b/c%20100%25/%C3%A9%3B',
    '/apps/app_api/proxy/tools/x?next=/a%2Fb;c\\',
  ])('has nothing against %s', (target) => {
    expect(faultOfTarget(target, isStrict)).toBeNull();
  });

  it.each([
    ['/exapps/tools/admin#', 'holds a fragment'],
    ['/apps/news/?a#b', 'holds a fragment'],
    ['/a\\b', 'holds a backslash'],
    ['/a\tb', 'holds a blank or a control character'],
    ['/exapps/tools/a;b', 'holds a semicolon that is not encoded'],
    ['/EXAPPS/tools/a%2Fb', 'holds an encoded slash or backslash'],
    ['/exapps/tools/a%5cb', 'holds an encoded slash or backslash'],
    ['/exapps/to%2Fols/a', 'holds an encoded slash or backslash'],
    ['/exapps/tools/a%01b', 'holds an encoded control character'],
    ['/exapps/tools/a%00b', 'holds an encoded zero byte'],
    ['/ocs/v2.php/cloud/groups/a%00b', 'holds an encoded zero byte'],
    ['/exapps/tools/%2561dmin', 'is encoded twice'],
    ['/exapps/tools/%zz', 'holds a percent sign that encodes nothing'],
    ['/exapps/tools/é', 'holds a character that is not encoded'],
    [`/exapps/tools/${'a'.repeat(4096)}`, 'is longer than 4096 characters'],
  ])('refuses %j', (target, fault) => {
    expect(faultOfTarget(target, isStrict)).toBe(fault);
  });
});
