import { describe, expect, it } from 'vitest';
import { findQuote, quoteAt } from './find-quote.js';

const TEXT = `The keeper lit the lamp at dusk. Nobody saw the ship that night.

The keeper lit the lamp at dawn. Everybody saw the ship, and 12 sailors waved to him from the deck.

“Light,” he wrote — “is patience.” The keeper lit the lamp at noon.`;

/** The quote of the `nth` occurrence of these words. */
function quoteOf(words: string, nth = 1, text = TEXT) {
  let at = -1;
  for (let n = 0; n < nth; n += 1) {
    at = text.indexOf(words, at + 1);
  }
  expect(at).not.toBe(-1);
  return quoteAt(text, [at, at + words.length]);
}

const found = (text: string, quote: ReturnType<typeof quoteOf>) => {
  const place = findQuote(text, quote);
  return place === null ? null : text.slice(...place);
};

describe('a quote', () => {
  it.each([1, 2, 3])('of repeated words is found at its own place: %i', (nth) => {
    const quote = quoteOf('The keeper lit the lamp', nth);
    expect(findQuote(TEXT, quote)?.[0]).toBe(quote.position);
    const later = `An introduction.\n\n${TEXT}`;
    expect(findQuote(later, quote)?.[0]).toBe(quote.position + 18);
  });

  it('is found with other spaces, quotation marks and dashes', () => {
    const quote = quoteOf('“Light,” he wrote — “is patience.”');
    const typed = TEXT.replace(/[“”]/g, '"').replace('—', '–').replace(/\s+/g, '\u00a0 \n');
    expect(found(typed, quote)?.replace(/\s+/g, ' ')).toBe('"Light," he wrote – "is patience."');
  });

  it('is found where a paragraph was inserted before it, and words after it', () => {
    const quote = quoteOf('Everybody saw the ship');
    const text = TEXT.replace('Everybody', '\n\nAn advertisement.\n\nEverybody').replace(
      '12',
      'then',
    );
    expect(found(text, quote)).toBe('Everybody saw the ship');
  });

  it('is found with a corrected, an added and a missing word', () => {
    const quote = quoteOf('Everybody saw the ship, and 12 sailors waved to him from the deck');
    expect(found(TEXT.replace('waved', 'shouted'), quote)).toBe(
      'Everybody saw the ship, and 12 sailors shouted to him from the deck',
    );
    expect(found(TEXT.replace('sailors', 'old sailors').replace(' to him', ''), quote)).toBe(
      'Everybody saw the ship, and 12 old sailors waved from the deck',
    );
    expect(found(TEXT.replace('Everybody', 'Someone'), quote)).toBe(
      'Someone saw the ship, and 12 sailors waved to him from the deck',
    );
  });

  it('that is a part of a word, or of a script without spaces, is found', () => {
    expect(found(`New. ${TEXT}`, quoteOf('eep'))).toBe('eep');
    const text = '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。';
    const quote = quoteOf('名前はまだ無い', 1, text);
    expect(found(text.replace('猫', '犬'), quote)).toBe('名前はまだ無い');
    expect(found(text.replace('まだ', 'また'), quote)).toBe('名前はまた無い');
  });

  it.each([
    ['its text is gone', (text: string) => text.slice(0, 66)],
    ['its number is another one', (text: string) => text.replace('12 sailors', '13 sailors')],
    ['a short one is other words', () => 'Everybody and 12 of them'],
    ['the text is empty', () => ''],
  ])('is not found if %s', (_what, change) => {
    expect(found(change(TEXT), quoteOf('and 12 sailors'))).toBeNull();
  });

  it('of two short words is not found elsewhere, where other words are around', () => {
    const quote = quoteOf('the ship', 2);
    expect(found(TEXT.replace(/\n\nThe keeper lit the lamp at dawn[^\n]*/, ''), quote)).toBeNull();
  });

  it('of a long text is searched within bounds', () => {
    const words = Array.from({ length: 60_000 }, (_, n) => `w${(n * 7919) % 997}`).join(' ');
    const quote = quoteAt(words, [150_000, 153_000]);
    expect(findQuote(words, quote)?.[0]).toBe(150_000);
    expect(findQuote(words.replaceAll('w5', 'x5'), quote)).toBeNull();
  });
});

/** Repeats itself; numbers below 1. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('quotes of generated texts', () => {
  const VOCABULARY =
    'the lamp of a ship is red and old but seen by few at night in fog or rain'.split(' ');

  /** Words with their numbers, so that one knows them again. */
  function history(seed: number) {
    const random = randomFrom(seed);
    const below = (most: number) => Math.floor(random() * most);
    const word = () => VOCABULARY[below(VOCABULARY.length)] ?? '';
    let words = Array.from({ length: 40 + below(200) }, (_, id) => ({ id, word: word() }));
    const first = below(words.length);
    const last = Math.min(words.length - 1, first + below(random() < 0.5 ? 3 : 25));
    const write = () => {
      const spaces = [' ', '\n\n', '  '];
      const from = new Map<number, number>();
      const to = new Map<number, number>();
      let text = '';
      for (const { id, word: written } of words) {
        from.set(id, text.length);
        text += written;
        to.set(id, text.length);
        text += spaces[random() < 0.8 ? 0 : below(3)];
      }
      return { text, from, to };
    };
    const before = write();
    const quote = quoteAt(before.text, [before.from.get(first) ?? 0, before.to.get(last) ?? 0]);
    let nextId = 1000;
    for (let changes = below(5); changes > 0; changes -= 1) {
      const at = below(words.length);
      const kind = below(4);
      const added = Array.from({ length: kind === 0 ? 20 : 1 }, () => ({
        id: nextId++,
        word: word(),
      }));
      const changed = { id: words[at]?.id ?? 0, word: word() };
      words =
        kind === 3
          ? words.toSpliced(at, below(30))
          : words.toSpliced(at, kind === 2 ? 1 : 0, ...(kind === 2 ? [changed] : added));
    }
    return {
      quote,
      first,
      last,
      ...write(),
      isHere: (id: number) => words.some((one) => one.id === id),
    };
  }

  it('are found at their own words, or not at all', () => {
    let [total, whole, wholeFound, wrong] = [0, 0, 0, 0];
    for (let seed = 1; seed <= 3000; seed += 1) {
      const { quote, first, last, text, from, to, isHere } = history(seed);
      const place = findQuote(text, quote);
      const kept = Array.from({ length: last - first + 1 }, (_, n) => first + n).filter(isHere);
      total += 1;
      if (kept.length === last - first + 1) {
        whole += 1;
        wholeFound += place === null ? 0 : 1;
      }
      if (place !== null) {
        const own = kept.filter(
          (id) => (from.get(id) ?? 0) >= place[0] && (to.get(id) ?? 0) <= place[1],
        );
        // The same words elsewhere are the same words.
        const same =
          text
            .slice(...place)
            .split(/\s+/)
            .join(' ') === quote.exact.split(/\s+/).join(' ');
        if (own.length < (last - first + 1) * 0.6 && !same) {
          wrong += 1;
        }
      }
    }
    expect({ total, wrong }).toEqual({ total: 3000, wrong: 0 });
    expect(wholeFound / whole).toBeGreaterThan(0.95);
  });
});
