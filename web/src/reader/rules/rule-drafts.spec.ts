import { describe, expect, it } from 'vitest';
import type { RuleAction } from '../model/rules-api.js';
import {
  actionOf,
  exceptionsOf,
  exceptQuery,
  isByClock,
  lackOf,
  moved,
  namesIn,
  namesPlaces,
  newRule,
  scopeOf,
  withAction,
  wordsOf,
} from './rule-drafts.js';

const READ: RuleAction = { type: 'read' };
const LABEL: RuleAction = { type: 'label', names: ['Later'] };

describe('the form “everything except …”', () => {
  it('writes the brackets and the minus', () => {
    expect(exceptQuery(' launch OR moon ')).toBe('-(launch OR moon)');
    expect(exceptQuery('  ')).toBe('');
  });

  it('reads only what is one pair of brackets', () => {
    expect(exceptionsOf('-(a (b OR c) ")")')).toBe('a (b OR c) ")"');
    expect(exceptionsOf('-(a) (b)')).toBeNull();
    expect(exceptionsOf('-(a) -(b)')).toBeNull();
    expect(exceptionsOf('(a)')).toBeNull();
    expect(exceptionsOf('')).toBeNull();
  });
});

describe('the actions of a rule', () => {
  it('are added, replaced in place and removed', () => {
    const labelled = withAction([READ, LABEL], 'label', { type: 'label', names: ['Work'] });

    expect(withAction([READ], 'label', LABEL)).toEqual([READ, LABEL]);
    expect(labelled).toEqual([READ, { type: 'label', names: ['Work'] }]);
    expect(withAction(labelled, 'read', null)).toEqual([{ type: 'label', names: ['Work'] }]);
    expect(actionOf(labelled, 'label')?.names).toEqual(['Work']);
    expect(actionOf(labelled, 'mail')).toBeUndefined();
  });

  it('tell whether it runs by the clock', () => {
    expect(isByClock([READ])).toBe(false);
    expect(isByClock([{ type: 'newest', count: 20 }])).toBe(true);
  });
});

describe('a draft', () => {
  it('lacks a place, an action or a label', () => {
    expect(lackOf(newRule())).toBe('rules.lacks.action');
    expect(lackOf(newRule({ actions: [{ type: 'label', names: [] }] }))).toBe('rules.lacks.label');
    const nowhere = { ...scopeOf(0, 0), everything: false };
    expect(lackOf(newRule({ actions: [READ], scope: nowhere }))).toBe('rules.lacks.scope');
    expect(lackOf(newRule({ actions: [LABEL], scope: scopeOf(4, 0) }))).toBeNull();
  });

  it('may let through alone', () => {
    expect(lackOf(newRule({ stopAfter: true }))).toBeNull();
  });

  it('is about everything, a feed or a folder', () => {
    expect(scopeOf(0, Number.NaN)).toMatchObject({ everything: true, feedIds: [], folderIds: [] });
    expect(scopeOf(4, 0)).toMatchObject({ everything: false, feedIds: [4] });
    expect(scopeOf(0, 5)).toMatchObject({ everything: false, folderIds: [5] });
  });
});

describe('a condition of a group', () => {
  it('names no places, which each member has of their own', () => {
    const named = ['feed:x', 'a -(LABEL:"b c")', '!in:News', 'a OR search:x', 'x\nfolder:y'];
    const free = [
      'intitle:feed',
      '"feed: me"',
      'intitle:/a feed: b/i',
      'newsfeed:x',
      'a "b\\" in:c"',
    ];

    expect(named.filter(namesPlaces)).toEqual(named);
    expect(free.filter(namesPlaces)).toEqual([]);
  });

  it('cannot be saved with a place, which one’s own can', () => {
    const rule = newRule({ actions: [READ], query: 'label:Later' });

    expect(lackOf(rule)).toBeNull();
    expect(lackOf(rule, true)).toBe('rules.lacks.noPlaces');
    expect(lackOf({ ...rule, query: 'later' }, true)).toBeNull();
  });
});

it('Rules move to a place', () => {
  expect(moved([1, 2, 3], 3, 0)).toEqual([3, 1, 2]);
  expect(moved([1, 2, 3], 1, 2)).toEqual([2, 3, 1]);
});

it('Names of labels are parted by commas, each once', () => {
  expect(namesIn(' Later,, Work ,Later')).toEqual(['Later', 'Work']);
});

it('Words of a title may be muted, also those with punctuation', () => {
  expect(wordsOf('C++26: AT&T and the Café’s café, and A')).toEqual([
    'C++26',
    'AT&T',
    'and',
    'the',
    'Café’s',
    'café',
  ]);
});
