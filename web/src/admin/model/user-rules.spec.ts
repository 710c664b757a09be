import { describe, expect, it } from 'vitest';
import { changesOf, toUser, type UserJson } from './user-rules.js';

const JSON_OF_ANN: UserJson = {
  id: 'ann',
  displayname: 'Ann',
  email: 'ann@mail.example',
  groups: ['admin', 'staff'],
  enabled: true,
  secondFactor: true,
  quota: { used: 5, quota: 1000, assigned: 1000 },
  lastLogin: 90_000,
  leaveAskedSeconds: 80,
  leavesSeconds: null,
  heldSeconds: null,
  heldUntilSeconds: null,
};
const ann = toUser(JSON_OF_ANN);

describe('A user', () => {
  it('is an administrator, without that group among the others', () => {
    expect(ann).toMatchObject({ isAdmin: true, groups: ['staff'] });
    expect(toUser({ ...JSON_OF_ANN, groups: ['staff'] })).toMatchObject({
      isAdmin: false,
      groups: ['staff'],
    });
  });

  it('has bytes, seconds, and texts of what was assigned', () => {
    expect(ann).toEqual({
      id: 'ann',
      displayName: 'Ann',
      email: 'ann@mail.example',
      isAdmin: true,
      groups: ['staff'],
      enabled: true,
      hasSecondFactor: true,
      quota: '1000',
      usedBytes: 5,
      quotaBytes: 1000,
      lastLogin: 90,
      leaveAskedSeconds: 80,
      leavesSeconds: null,
      heldSeconds: null,
      heldUntilSeconds: null,
    });
  });

  it('without limit, address or login has null for them, and an empty address', () => {
    const quota = { used: 0, quota: -3, assigned: 'none' } as const;

    expect(toUser({ ...JSON_OF_ANN, quota, email: null, lastLogin: 0 })).toMatchObject({
      quota: 'none',
      quotaBytes: null,
      email: '',
      lastLogin: null,
    });
    expect(toUser({ ...JSON_OF_ANN, quota: { ...quota, quota: 0 } }).quotaBytes).toBe(0);
  });
});

describe('Changes of a user', () => {
  it('are none without a difference', () => {
    expect(changesOf(ann, { ...ann, enabled: false, usedBytes: 7 })).toEqual([]);
  });

  it('are the fields that differ', () => {
    expect(changesOf(ann, { ...ann, displayName: 'Anne', quota: 'none' })).toEqual([
      { field: 'displayname', value: 'Anne' },
      { field: 'quota', value: 'none' },
    ]);
    expect(changesOf(ann, { ...ann, email: '' })).toEqual([{ field: 'email', value: '' }]);
  });

  it('are the groups that come and go, that of administrators first', () => {
    expect(changesOf(ann, { ...ann, isAdmin: false, groups: ['press'] })).toEqual([
      { group: 'admin', isMember: false },
      { group: 'staff', isMember: false },
      { group: 'press', isMember: true },
    ]);
    expect(changesOf({ ...ann, isAdmin: false }, ann)).toEqual([
      { group: 'admin', isMember: true },
    ]);
  });
});
