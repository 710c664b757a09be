import { describe, expect, it } from '@jest/globals';
import {
  labelledPairs,
  pairsByAnotherHand,
  type LabelledPair,
} from '../../../test/news/stories/labelled-pairs.js';
import { sameStory } from './same-story.js';
import { keysOf, signatureOf, type StoryArticle } from './story-signature.js';

const FOLDER = new URL('../../../test/news/stories/', import.meta.url);
const PAIRS = labelledPairs(FOLDER);
/** Written before the rules were, and not looked at while they were made. */
const HELD_OUT = labelledPairs(new URL('held-out/', FOLDER));

const known = new Map<StoryArticle, ReturnType<typeof signatureOf>>();

function signed(article: StoryArticle): ReturnType<typeof signatureOf> {
  const signature = known.get(article) ?? signatureOf(article);
  known.set(article, signature);
  return signature;
}

/** As it is found: by a key first. */
function isFound({ a, b }: LabelledPair): boolean {
  const keys = new Set(keysOf(signed(a)));
  return (
    keysOf(signed(b)).some((key) => keys.has(key)) &&
    sameStory(signed(a), signed(b), a.source === b.source) !== null
  );
}

function scoreOf(pairs: readonly LabelledPair[]) {
  const found = new Set(pairs.filter(isFound));
  const right = [...found].filter(({ isOneStory }) => isOneStory).length;
  const table = [...Map.groupBy(pairs, ({ kind }) => kind)].map(
    ([kind, all]) => `${kind}: ${all.filter((pair) => found.has(pair)).length} of ${all.length}`,
  );
  return {
    precision: right / found.size,
    recall: right / pairs.filter(({ isOneStory }) => isOneStory).length,
    table: table.join('\n'),
  };
}

const article = (changes: Partial<StoryArticle>): StoryArticle => ({
  title: 'Council votes to rebuild the old swimming pool',
  url: null,
  html: '<p>The council voted on Tuesday to rebuild the swimming pool in Mill Lane, which closed after a flood in 2019. Work begins in March and costs nine million.</p>',
  publishedSeconds: 1_000_000,
  ...changes,
});

const match = (a: Partial<StoryArticle>, b: Partial<StoryArticle>, isSameSource = false) =>
  sameStory(signatureOf(article(a)), signatureOf(article(b)), isSameSource);

describe('one story once', () => {
  it('is tried on labelled pairs in plenty', () => {
    expect(Math.min(PAIRS.length, HELD_OUT.length)).toBeGreaterThan(1200);
  });

  it.each([
    ['', PAIRS],
    [' that were held out', HELD_OUT],
    [' that another hand made', pairsByAnotherHand()],
  ])('finds copies, and nothing but copies, among pairs%s', (_, pairs) => {
    const { precision, recall, table } = scoreOf(pairs);

    expect(precision >= 0.98 && recall >= 0.8 ? '' : table).toBe('');
  });

  it('finds no other stories among all articles at once', () => {
    const all = new Set(HELD_OUT.flatMap(({ a, b }) => [a, b]));
    // Each third one: they are compared with each other.
    const articles = [...all].filter((_, n) => n % 3 === 0);
    const byKey = new Map<bigint, Set<(typeof articles)[number]>>();
    const found: string[] = [];
    let [right, wrong] = [0, 0];
    for (const one of articles) {
      const keys = keysOf(signed(one));
      for (const other of new Set(keys.flatMap((key) => [...(byKey.get(key) ?? [])]))) {
        const isOne = one.story === other.story;
        if (sameStory(signed(one), signed(other), one.source === other.source) !== null) {
          [right, wrong] = isOne ? [right + 1, wrong] : [right, wrong + 1];
          found.push(...(isOne ? [] : [`${one.title} / ${other.title}`]));
        }
      }
      for (const key of keys) {
        byKey.set(key, (byKey.get(key) ?? new Set()).add(one));
      }
    }

    expect(right).toBeGreaterThan(1000);
    expect(wrong / (right + wrong) <= 0.002 ? [] : found).toEqual([]);
  });

  it('says by what it was found', () => {
    const url = 'https://a.example/news/council-votes-to-rebuild-pool';

    expect(match({ url }, { url: `${url}?utm_source=rss`, html: '' })).toEqual({
      how: 'link',
      score: 1,
    });
    expect(match({}, {})).toEqual({ how: 'text', score: 1 });
    expect(match({}, { html: 'A long argument comes to its end.' })).toEqual({
      how: 'title',
      score: 1,
    });
  });

  it('does not reach farther than three days', () => {
    const publishedSeconds = 1_000_000 + 72 * 3600;

    expect(match({}, { publishedSeconds })).not.toBeNull();
    expect(match({}, { publishedSeconds: publishedSeconds + 1 })).toBeNull();
  });

  it.each<[string, Pick<StoryArticle, 'url' | 'html'>]>([
    [
      'another text at one link',
      {
        url: 'https://a.example/live-report-from-the-council',
        html: 'The mayor has arrived and the doors are closed; nobody knows why, and the coffee is cold.',
      },
    ],
    [
      'the same title',
      { url: null, html: 'The mayor has arrived and the doors are closed; nobody knows why.' },
    ],
  ])('takes %s in one feed for another story', (_, changes) => {
    expect(match({ url: changes.url }, changes, true)).toBeNull();
  });

  it('is symmetric, and reads anything', () => {
    const pieces = [
      '<a href="',
      '">',
      '</a>',
      '<p>',
      '&#x',
      '…',
      '12:30',
      'ⅫV',
      '\ud800',
      '\u0000',
      'ไทย',
      '漢字',
      'Ωμέγα',
      ' ',
      'https://a.example/b?c=%',
      '2–1',
      'İstanbul',
      'The post ',
      ' first on ',
    ];
    let seed = 7;
    const random = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most;
    const written = () =>
      Array.from({ length: random(40) }, () => pieces[random(pieces.length)]).join(
        random(2) === 0 ? '' : ' ',
      );
    for (let n = 0; n < 500; n += 1) {
      const [a, b] = [1, 2].map(() =>
        signatureOf({ title: written(), url: written(), html: written(), publishedSeconds: n }),
      );
      const isSameSource = random(2) === 0;

      expect(a && b && sameStory(a, b, isSameSource)).toEqual(
        a && b && sameStory(b, a, isSameSource),
      );
    }
    for (const pair of PAIRS.slice(0, 1000)) {
      const [a, b] = [signed(pair.a), signed(pair.b)];

      expect(sameStory(a, b, false)).toEqual(sameStory(b, a, false));
    }
  });
});
