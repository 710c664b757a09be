import { describe, expect, it } from 'vitest';
import { afterRemoval, removable } from './board-rules.js';

const addition = (userId: string | null) => ({ userId, name: 'A', note: '', addedAt: 1 });
const entry = (id: number, ...users: (string | null)[]) => ({
  id,
  title: 'Tides',
  url: null,
  added: users.map(addition),
});
const ADA = { userId: 'ada', isAdmin: false };

describe('an entry of a board', () => {
  it('is removed by editors and administrators, and taken back by those who have added it', () => {
    expect(removable({ editor: true }, entry(1, 'ben'), ADA)).toBe('entry');
    expect(removable({ editor: false }, entry(1, 'ben'), { ...ADA, isAdmin: true })).toBe('entry');
    expect(removable({ editor: false }, entry(1, 'ben', 'ada'), ADA)).toBe('own');
    expect(removable({ editor: false }, entry(1, 'ben', null), ADA)).toBeNull();
  });

  it('stays for those who have added it as well', () => {
    const entries = [entry(2, 'ada', null), entry(1, 'ada')];

    expect(afterRemoval(entries, 2, 'own', 'ada')).toEqual([entry(2, null), entry(1, 'ada')]);
    expect(afterRemoval(entries, 1, 'own', 'ada')).toEqual([entry(2, 'ada', null)]);
    expect(afterRemoval(entries, 2, 'entry', 'ada')).toEqual([entry(1, 'ada')]);
  });
});
