import { describe, expect, it } from 'vitest';
import type { Rule, RuleDraft } from '../model/rules-api.js';
import { bellRule, newBell, otherTellingRules, placesWithBell } from './bell-rules.js';

const FEED = { of: 'feed', id: 1 } as const;
const FOLDER = { of: 'folder', id: 5 } as const;
/** Feeds 1 and 2 are in folder 5. */
const folderOf = (feedId: number) => (feedId <= 2 ? 5 : null);

let lastId = 0;

function stored(draft: RuleDraft, more: Partial<Rule> = {}): Rule {
  lastId += 1;
  return {
    ...draft,
    id: lastId,
    problem: null,
    words: '',
    order: lastId,
    createdAt: 0,
    matches30d: 0,
    lastMatchAt: null,
    group: null,
    ...more,
  };
}

const bell = (more: Partial<Rule> = {}) => stored(newBell(FEED, 'New in World'), more);
const scoped = (scope: Partial<Rule['scope']>, more: Partial<Rule> = {}) =>
  bell({ scope: { ...bell().scope, feedIds: [], ...scope }, query: 'quake', ...more });

describe('The bell of a feed', () => {
  it('is the rule that it writes, also with other channels.', () => {
    const urgent = { type: 'notify' as const, urgent: true, channelIds: [3] };
    for (const rule of [bell(), bell({ enabled: false }), bell({ actions: [urgent] })]) {
      expect(bellRule([rule], FEED)).toBe(rule);
      expect(bellRule([rule], { of: 'feed', id: 2 })).toBeUndefined();
      expect(bellRule([rule], { of: 'folder', id: 1 })).toBeUndefined();
    }
  });

  it.each([
    ['a condition', { query: 'quake' }],
    ['an end', { until: 1 }],
    ['another action', { actions: [{ type: 'star' as const }] }],
    ['a second action', { actions: [...bell().actions, { type: 'star' as const }] }],
    ['a wider scope', { scope: { ...bell().scope, feedIds: [1, 2] } }],
    ['the whole as scope', { scope: { ...bell().scope, everything: true } }],
    ['an exception', { scope: { ...bell().scope, exceptFeedIds: [1] } }],
  ])('is no rule with %s.', (_, more) => {
    expect(bellRule([bell(more)], FEED)).toBeUndefined();
  });
});

it('The bells that are on are found for feeds and for folders.', () => {
  const rules = [bell(), stored(newBell(FOLDER, 'New')), scoped({ feedIds: [2] })];

  expect([...placesWithBell(rules, 'feed')]).toEqual([1]);
  expect([...placesWithBell(rules, 'folder')]).toEqual([5]);
  expect(placesWithBell([bell({ enabled: false })], 'feed').size).toBe(0);
});

describe('Other rules tell about a feed', () => {
  const names = (rules: readonly Rule[], place: typeof FEED | typeof FOLDER = FEED) =>
    otherTellingRules(rules, place, folderOf).map(({ name }) => name);

  it('if they are for everything, its folder, or itself with a condition.', () => {
    const rules = [
      bell({ name: 'bell' }),
      scoped({ everything: true }, { name: 'everything' }),
      scoped({ folderIds: [5] }, { name: 'folder' }),
      scoped({ feedIds: [1] }, { name: 'feed' }),
      scoped({ feedIds: [2] }, { name: 'another feed' }),
      scoped({ folderIds: [6] }, { name: 'another folder' }),
    ];

    expect(names(rules)).toEqual(['everything', 'folder', 'feed']);
    expect(names(rules, FOLDER)).toEqual(['bell', 'everything', 'folder', 'feed', 'another feed']);
  });

  it('unless it is excepted, the rule is off or inactive, or does something else.', () => {
    expect(
      names([
        scoped({ everything: true, exceptFeedIds: [1] }),
        scoped({ everything: true, exceptFolderIds: [5] }),
        scoped({ everything: true }, { enabled: false }),
        scoped({ everything: true }, { problem: 'Its label is gone.' }),
        scoped({ everything: true }, { actions: [{ type: 'read' }] }),
      ]),
    ).toEqual([]);
    expect(names([scoped({ everything: true, exceptFolderIds: [5] })], FOLDER)).toEqual([]);
  });

  it('also by mail and by an app.', () => {
    const send = { type: 'send' as const, channelId: 3 };
    const mail = { type: 'mail' as const, at: '07:00' };

    expect(
      names([scoped({ everything: true }, { actions: [send, mail], name: 'by mail' })]),
    ).toEqual(['by mail']);
  });
});
