import { describe, expect, it } from 'vitest';
import { aroundError, offerAt, problemOf, quotedName } from './query-text.js';

const VALUES: Record<string, string[]> = { is: ['unread', 'read', 'starred'] };
const field = (name: string) => ({
  name,
  example: '',
  words: `the ${name}`,
  values: VALUES[name] ?? [],
});
const NAMES = {
  fields: ['intitle', 'intext', 'is', 'feed'].map(field),
  feed: ['Code & Co', 'Café news', 'Pixel'],
  folder: ['Tech'],
  label: ['Read "later"'],
  search: [],
};
/** The caret is at `|`. */
const offered = (typed: string, isAsked = false) => {
  const { from, choices } = offerAt(typed.replace('|', ''), typed.indexOf('|'), NAMES, isAsked);
  return [from, ...choices.map(({ text }) => text)];
};

describe('what is offered while a query is typed', () => {
  it('is a name of the language, where a term begins', () => {
    expect(offered('in|')).toEqual([0, 'intitle:', 'intext:']);
    expect(offered('a -(int| b')).toEqual([4, 'intitle:', 'intext:']);
    expect(offered('INTI|')).toEqual([0, 'intitle:']);
    expect(offered('rock-in|')).toEqual([7]);
    expect(offered('x intitle:in|')).toEqual([2]);
  });

  it('is every name, if asked where nothing is typed', () => {
    expect(offered('a |', true)).toEqual([2, 'intitle:', 'intext:', 'is:', 'feed:']);
    expect(offered('a |')).toEqual([2]);
  });

  it('is nothing inside of a phrase', () => {
    expect(offered('"all in|')).toEqual([7]);
    expect(offered('"all" in|')).toEqual([6, 'intitle:', 'intext:']);
  });

  it('is a name of the user’s own after the name of a place, with any accents', () => {
    expect(offered('feed:c|')).toEqual([0, 'feed:"Code & Co" ', 'feed:"Café news" ']);
    expect(offered('-feed:"cafe n|')).toEqual([1, 'feed:"Café news" ']);
    expect(offered('in:|')).toEqual([0, 'in:Tech ']);
    expect(offered('label:read|')).toEqual([0, 'label:"Read \\"later\\"" ']);
    expect(offered('search:x|')).toEqual([0]);
  });

  it('is a state after “is:”', () => {
    expect(offered('x is:un|')).toEqual([2, 'is:unread ']);
    expect(offered('is:|')).toEqual([0, 'is:unread ', 'is:read ', 'is:starred ']);
    expect(offered('intitle:a|')).toEqual([0]);
  });
});

describe('an error in a query', () => {
  it('has its place in the typed text', () => {
    const message = 'The bracket is not closed.';

    expect(problemOf({ message, status: 422, details: { at: 0 } })).toEqual({ message, at: 0 });
    expect(problemOf({ message, status: 422, details: {} })).toBeNull();
    expect(problemOf({ message, status: 0, details: { at: 1 } })).toBeNull();
    expect(problemOf(new TypeError('at'))).toBeNull();
    expect(problemOf(null)).toBeNull();
  });

  it('is shown with what is around it', () => {
    expect(aroundError('a (Google b', 2)).toEqual({ before: 'a ', place: '(Google', after: ' b' });
    expect(aroundError('love OR', 7)).toEqual({ before: 'love OR', place: '', after: '' });
    const long = aroundError(`${'a'.repeat(40)} b ${'c'.repeat(40)}`, 41);
    expect(long.before).toBe(`…${'a'.repeat(23)} `);
    expect(long.after).toBe(` ${'c'.repeat(23)}…`);
  });
});

it('A name in a query has quotation marks, unless it is one word', () => {
  expect(quotedName('Tech')).toBe('Tech');
  expect(quotedName('C++')).toBe('"C++"');
  expect(quotedName('a "b" \\')).toBe('"a \\"b\\" \\\\"');
});
