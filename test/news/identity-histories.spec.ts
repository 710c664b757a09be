import { describe, expect, it } from '@jest/globals';
import { readFeed } from '../../src/news/feed-parser/read-feed.js';
import {
  matchArticles,
  type StoredArticle,
} from '../../src/news/sources/articles/match-articles.js';
import { documentOf } from '../support/histories/document.js';
import { historyOf, shrunken, tell, type History } from '../support/histories/history.js';
import { Publisher } from '../support/histories/publisher.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';

/*
 * Random histories of documents from a simulated publisher that knows the identity of each entry.
 * More of them with GENERATED_HISTORIES=n; a failure reports its seed.
 */

const HISTORIES = histories(100, 2_000);
const ROUNDS = 7;
const AT_ONCE = 200;
const SEEDS = Array.from({ length: Math.ceil(HISTORIES / AT_ONCE) }, (_, n) => 1 + n * AT_ONCE);

interface Kept extends StoredArticle {
  readonly entry: number;
}

/** The first error in recognising the items of each document; null without errors. */
async function mistakeIn(history: History): Promise<string | null> {
  const random = new Random(history.seed);
  const publisher = new Publisher();
  const format = random.chance(0.3) ? 'json' : 'rss';
  let kept: Kept[] = [];
  for (const [round, changes] of history.rounds.entries()) {
    changes.forEach((change) => publisher.change(change));
    const { listed } = publisher;
    const { items } = await readFeed({
      bytes: Buffer.from(documentOf(listed, format, round)),
      contentType: null,
      url: 'https://publisher.example/feed',
    });
    if (items.length !== listed.length) {
      return `round ${round}: ${listed.length} entries are listed, ${items.length} items were read`;
    }
    const matches = matchArticles(items, kept);
    for (const [place, { article }] of matches.entries()) {
      const entry = listed[place]?.entry;
      const expected = kept.some((one) => one.entry === entry) ? entry : undefined;
      if (article?.entry !== expected) {
        return `round ${round}: entry ${entry} was taken for ${article?.entry ?? 'a new one'}`;
      }
    }
    publisher.noteFetch();
    const known = new Map(matches.map(({ article }, place) => [article, place]));
    kept = [
      ...kept.map((article) => {
        const item = items[known.get(article) ?? -1];
        const isRemoved = !item && (article.isRemoved || random.chance(0.2));
        return item
          ? { ...article, ...keptOf(item), guidHash: article.guidHash, isRemoved: false }
          : {
              ...article,
              wasListed: false,
              isRemoved,
              contentHash: isRemoved ? null : article.contentHash,
            };
      }),
      ...matches.flatMap(({ item, article }, place) =>
        article === null
          ? [{ ...keptOf(item), id: kept.length + place + 1, entry: listed[place]?.entry ?? 0 }]
          : [],
      ),
    ];
  }
  return null;
}

function keptOf({ lookup, contentHash }: Parameters<typeof matchArticles>[0][number]) {
  return {
    // Any guid will do, as long as no other article has it.
    guidHash: '',
    keyHash: lookup.keyHash,
    contentHash,
    evidence: lookup.evidence,
    wasListed: true,
    isRemoved: false,
  };
}

describe('entries of a document', () => {
  it.each(SEEDS)(
    'are recognised correctly, no matter what the publisher changes: histories from %i',
    async (first) => {
      const failures: string[] = [];
      for (let seed = first; seed < first + AT_ONCE && failures.length === 0; seed += 1) {
        const history = historyOf(seed, ROUNDS);
        if ((await mistakeIn(history)) !== null) {
          const smallest = await shrunken(history, async (one) => (await mistakeIn(one)) !== null);
          failures.push(`${tell(smallest)}\n  ${await mistakeIn(smallest)}`);
        }
      }

      expect(failures).toEqual([]);
    },
  );
});
