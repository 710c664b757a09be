import { describe, expect, it } from '@jest/globals';
import { labelledPairs } from '../../../test/news/stories/labelled-pairs.js';
import { decodeSignature, encodeSignature, keysOf, signatureOf } from './story-signature.js';

const HOSTILE = [
  'a'.repeat(200_000),
  'word '.repeat(40_000),
  '漢'.repeat(200_000),
  '1.'.repeat(100_000),
  '<a href="https://a.example/x">x</a>'.repeat(100_000),
  '<a '.repeat(70_000),
  '<a href="'.repeat(20_000),
  '('.repeat(200_000),
  '… '.repeat(100_000),
  `${' '.repeat(100_000)}${'https://'.repeat(10_000)}`,
  '\ud83d'.repeat(200_000),
];

describe('the signature of an article', () => {
  it.each(HOSTILE.map((html) => [html.slice(0, 20), html] as const))(
    'looks at the beginning of %j… only',
    (_, html) => {
      const of = (length: number) =>
        signatureOf({
          title: html.slice(0, length),
          url: html,
          html: html.slice(0, length),
          publishedSeconds: 0,
        });

      expect(of(html.length)).toEqual(of(13_000));
      expect(encodeSignature(of(html.length)).length).toBeLessThan(2_000);
    },
  );

  it('is the same when it was stored, and has at most 24 keys', () => {
    const pairs = labelledPairs(new URL('../../../test/news/stories/held-out/', import.meta.url));
    for (const { a } of pairs) {
      const signature = signatureOf(a);
      const stored = decodeSignature(encodeSignature(signature));

      expect(stored).toEqual(signature);
      expect(keysOf(stored).length).toBeLessThanOrEqual(24);
    }
  });

  it('has keys that a column of 64 bits takes', () => {
    const keys = keysOf(
      signatureOf({
        title: 'One two three four five',
        url: 'https://a.example/1',
        html: 'six seven eight nine',
        publishedSeconds: 0,
      }),
    );

    expect(keys.length).toBeGreaterThan(3);
    expect(keys.filter((key) => BigInt.asIntN(64, key) !== key)).toEqual([]);
  });
});
