import { describe, expect, it } from '@jest/globals';
import { processorMs } from '../../../../test/support/processor-time.js';
import { md5 } from '../../feed-parser/items/item-identity.js';
import type { ParsedItem } from '../../feed-parser/items/parsed-item.js';
import { nameArticles } from './name-articles.js';

const LINK = 'https://publisher.example/all';
const DERIVED = md5(LINK, 'Daily', '');

const NO_LOOKUP = { kind: 'link', hasOwnPage: true, keyHash: md5(LINK), evidence: '' } as const;

/** Without guid and date, as `readFeed` gives it. */
function anEntry(body: string): ParsedItem {
  return {
    guid: LINK,
    guidHash: md5(LINK),
    contentHash: md5(body),
    lookup: { ...NO_LOOKUP, derivedGuids: [DERIVED], derivedGuidHashes: [md5(DERIVED)] },
  } as Partial<ParsedItem> as ParsedItem;
}

/** A source that has stored these guids; `asked` counts the questions. */
function aStore(guids: readonly string[] = []) {
  const stored = new Set(guids.map((guid) => md5(guid)));
  const store = {
    asked: 0,
    findTaken: async (hashes: readonly string[]) => {
      store.asked += 1;
      return hashes.filter((hash) => stored.has(hash));
    },
  };
  return store;
}

describe('guids of new articles', () => {
  it('are the link, then derived, then derived with the content', async () => {
    const names = await nameArticles(['a', 'b', 'c'].map(anEntry), new Set(), aStore().findTaken);

    expect(names.map(({ guid }) => guid)).toEqual([LINK, DERIVED, md5(DERIVED, md5('c'))]);
    expect(names.map(({ guidHash }) => guidHash)).toEqual(names.map(({ guid }) => md5(guid)));
  });

  it('have a number where the content is stored already', async () => {
    const withContent = md5(DERIVED, md5('c'));
    const store = aStore([withContent, md5(withContent, '2')]);
    const taken = new Set([LINK, DERIVED].map((guid) => md5(guid)));

    const names = await nameArticles(['b', 'c', 'c'].map(anEntry), taken, store.findTaken);

    expect(names.map(({ guid }) => guid)).toEqual([
      md5(DERIVED, md5('b')),
      md5(withContent, '3'),
      md5(withContent, '4'),
    ]);
  });

  it('cost the same for 5,000 entries of one link and title as for others', async () => {
    const store = aStore();
    const entries = Array.from({ length: 5_000 }, (_, n) => anEntry(`body ${n}`));
    let names: readonly unknown[] = [];

    const ms = await processorMs(async () => {
      names = await nameArticles(entries, new Set(), store.findTaken);
    });

    expect(new Set(names).size).toBe(5_000);
    expect(store.asked).toBe(1);
    expect(ms).toBeLessThan(1_000);
  });
});
