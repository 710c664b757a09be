import { describe, expect, it } from '@jest/globals';
import { pairsOf, splitByScript, patternOf, rangesOf, readSearch } from './search-words.js';

const marked = (text: string, words: string) =>
  rangesOf(text, patternOf(words)).map(([from, to]) => text.slice(from, to));

describe('the words of a search', () => {
  it('are read like websearch_to_tsquery does', () => {
    const told = readSearch('one "two three" or -four fi').map((terms) =>
      terms.map(({ text, isPhrase, isExcluded, isPrefix }) =>
        [text, isPhrase && 'phrase', isExcluded && 'excluded', isPrefix && 'prefix']
          .filter(Boolean)
          .join(' '),
      ),
    );

    expect(told).toEqual([
      ['one', 'two three phrase'],
      ['four excluded', 'fi prefix'],
    ]);
    expect(readSearch(' or  - "" ')).toEqual([]);
  });

  it.each([
    ['Cats and catalogues of a cat', 'cat', ['Cat', 'cat', 'cat']],
    ['Cats and a cat.', 'cat and', ['and', 'cat']],
    ['Cats, and a cat', '"cats and" -cat', ['Cats, and']],
    ['Größe und GRÖSSE', 'größe', ['Größe']],
    ['C++ (and more)', 'c++', ['C']],
    ['東京の冷蔵庫を買った', '冷蔵庫', ['冷蔵庫']],
    ['iPhone价格上涨', 'iphone价格', ['iPhone', '价格']],
    ['قرأ كِتَابًا و الكتـاب', 'كتابا الكِتاب', ['كِتَابًا', 'الكتـاب']],
    ['שָׁלוֹם־עולם', 'שלום', ['שָׁלוֹם']],
    ['nothing of it', 'other', []],
    ['[a-z] \\ ^$', '[a-z] \\ ^$ -', ['a-z']],
  ])('in %s: %s', (text, words, expected) => {
    expect(marked(text, words)).toEqual(expected);
  });

  it('of scripts without spaces are divided into pairs', () => {
    expect(splitByScript('iPhone价格 up')).toEqual(['iPhone', '价格', ' up']);
    expect(pairsOf('冷蔵庫')).toEqual(['冷蔵', '蔵庫']);
    expect(pairsOf('猫')).toEqual(['猫']);
    expect(pairsOf('𠮷野家')).toEqual(['𠮷野', '野家']);
  });
});
