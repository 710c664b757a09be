import { describe, expect, it } from '@jest/globals';
import { longestBlockDuring } from '../../../../test/support/longest-block.js';
import { NOW, PLACES, queriedArticle } from '../../../../test/support/query-articles.js';
import { bindPlaces } from '../../query/bind-places.js';
import { parseQuery } from '../../query/parse-query.js';
import { RuleSet } from './rule-set.js';
import type { Rule } from './rules.repository.js';

const CONTEXT = { timeZone: 'UTC', places: PLACES, channelIds: new Set<number>() };
const NOWHERE = { feedIds: [], folderIds: [], exceptFeedIds: [], exceptFolderIds: [] };

const rule = (id: number, text: string, others: Partial<Rule> = {}): Rule => ({
  id,
  name: `Rule ${id}`,
  enabled: true,
  place: id,
  scope: { everything: true, ...NOWHERE },
  query: bindPlaces(parseQuery(text), PLACES),
  queryText: text,
  actions: [{ type: 'star' }],
  stopAfter: false,
  hasClock: false,
  tells: false,
  untilSeconds: null,
  createdAt: NOW,
  changedMicros: 0,
  problem: null,
  toldFromSeconds: 0,
  groupFolderId: null,
  groupName: null,
  ...others,
});

const matching = (set: RuleSet, title: string, now = NOW) =>
  set.matching(queriedArticle({ title }), now).map(({ id }) => id);

describe('a set of rules', () => {
  it('of 12,000 words is prepared in turns', async () => {
    const wordsOf = (n: number) => Array.from({ length: 1200 }, (_, m) => `w${n * 1200 + m}x`);
    const rules = Array.from({ length: 10 }, (_, n) => rule(n, wordsOf(n).join(' OR ')));
    const sets: RuleSet[] = [];

    const block = await longestBlockDuring(async () => {
      sets.push(await RuleSet.of(rules, CONTEXT));
    });

    expect(block.computingMs).toBeLessThan(50);
    const [set] = sets as [RuleSet];
    expect(matching(set, 'w11999x w0x w12000x')).toEqual([0, 9]);
    expect(matching(set, 'w12000x')).toEqual([]);
  });

  it('leaves out a rule from its end on', async () => {
    const end = NOW.getTime() / 1000 + 60;
    const set = await RuleSet.of([rule(1, 'quake', { untilSeconds: end })], CONTEXT);
    const later = new Date((end + 1) * 1000);

    expect([set.isEmpty(NOW), matching(set, 'quake')]).toEqual([false, [1]]);
    expect([set.isEmpty(later), matching(set, 'quake', later)]).toEqual([true, []]);
  });
});
