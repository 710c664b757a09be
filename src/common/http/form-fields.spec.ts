import { describe, expect, it } from '@jest/globals';
import { processorMs } from '../../../test/support/processor-time.js';
import { parseQuery } from './form-fields.js';

const pairs = (count: number, one: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => one(n)).join('&');

describe('parseQuery', () => {
  it.each([
    ['', {}],
    ['a=1&b=two+words&c=%C3%A9', { a: '1', b: 'two words', c: 'é' }],
    ['a&b=', { a: '', b: '' }],
    ['=1&a=1', { a: '1' }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['items[]=1', { items: ['1'] }],
    ['items[]=1&items[]=2', { items: ['1', '2'] }],
    ['items%5B%5D=1', { items: ['1'] }],
    ['itemIds[0]=7&itemIds[1]=8', { itemIds: ['7', '8'] }],
    ['itemIds[5]=8&itemIds[2]=7', { itemIds: ['7', '8'] }],
    ['a=1&a[]=2', { a: ['1', '2'] }],
    ['a[b]=1&a[c][d]=2', { a: { b: '1', c: { d: '2' } } }],
    [
      'items[0][feedId]=1&items[0][guidHash]=x&items[1][feedId]=2',
      { items: [{ feedId: '1', guidHash: 'x' }, { feedId: '2' }] },
    ],
    ['items[][feedId]=1&items[][feedId]=2', { items: [{ feedId: '1' }, { feedId: '2' }] }],
    ['hub.mode=subscribe', { 'hub.mode': 'subscribe' }],
    ['a[b=1&a]=2&[c]=3', { 'a[b': '1', 'a]': '2', '[c]': '3' }],
    ['a[1][2][3][4][5][6]=x', { 'a[1][2][3][4][5][6]': 'x' }],
    ['a=%&b=%zz', { a: '%', b: '%zz' }],
  ])('reads %s', (text, fields) => {
    expect(parseQuery(text)).toEqual(fields);
  });

  it('keeps more than twenty numbered elements a list', () => {
    const text = Array.from({ length: 500 }, (_, index) => `ids[${index}]=${index}`).join('&');

    expect(parseQuery(text)['ids']).toHaveLength(500);
  });

  it('is not led astray by names that objects have already', () => {
    const fields = parseQuery('__proto__[isAdmin]=1&constructor[prototype][isAdmin]=1');

    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });

  it.each([
    ['one name, 19,999 times', 'k=1&'.repeat(19_999)],
    ['a list of 19,999 elements', 'k[]=1&'.repeat(19_999)],
    ['10,000 pairs', pairs(10_000, (n) => `k[${n}][a]=1&k[${n}][b]=1`)],
    ['an endless row of brackets', `${'['.repeat(500_000)}=1`],
    ['an endless row of pairs of brackets', `a${'[]'.repeat(250_000)}[=1`],
  ])('takes a moment of processor time for %s', async (_what, text) => {
    expect(await processorMs(() => parseQuery(text))).toBeLessThan(400);
  });

  it.each([
    ['2,000 names', pairs(2002, (n) => `k${n}=1`)],
    ['40,000 keys', pairs(10_001, (n) => `k[${n}][a][b][c]=1`)],
  ])('refuses more than %s', (_what, text) => {
    expect(() => parseQuery(text)).toThrow('more than 2000 names, or more than 40000 keys');
  });

  it('refuses more than 20,000 fields', () => {
    expect(() => parseQuery('k=1&'.repeat(20_000))).toThrow('more than 20000 fields');
  });
});
