import { beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../common/clock.js';
import { CredentialDigests } from './credential-digests.js';

const credential = { userId: 'ada', password: 'secret', passwordHash: 'hash' };

let now: number;
let verified: CredentialDigests;

beforeEach(() => {
  now = 1_000_000;
  const clock = new Clock();
  clock.now = () => new Date(now * 1000);
  verified = new CredentialDigests(clock);
});

describe('a verified credential', () => {
  it('is remembered for the given time and not a second longer', () => {
    verified.remember(credential, 300);

    now += 299;
    expect(verified.has(credential)).toBe(true);
    now += 1;
    expect(verified.has(credential)).toBe(false);
  });

  it('is not prolonged by being used', () => {
    verified.remember(credential, 300);

    for (let minute = 1; minute <= 5; minute += 1) {
      now += 60;
      verified.has(credential);
    }

    expect(verified.has(credential)).toBe(false);
  });

  it('counts only for the same user, password and hash', () => {
    verified.remember(credential, 300);

    expect(verified.has({ ...credential, userId: 'bob' })).toBe(false);
    expect(verified.has({ ...credential, password: 'secret2' })).toBe(false);
    expect(verified.has({ ...credential, passwordHash: 'new hash' })).toBe(false);
    expect(verified.has({ userId: 'adas', password: 'ecret', passwordHash: 'hash' })).toBe(false);
  });

  it('gives way to younger ones when there are more than 10,000', () => {
    verified.remember(credential, 300);
    for (let user = 1; user < 10_000; user += 1) {
      verified.remember({ ...credential, userId: String(user) }, 300);
    }
    const before = verified.has(credential);
    verified.remember({ ...credential, userId: 'one more' }, 300);

    expect(before).toBe(true);
    expect(verified.has(credential)).toBe(false);
    expect(verified.has({ ...credential, userId: '1' })).toBe(true);
  });
});
