import { beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../common/clock.js';
import type { LoggedIn } from '../../../common/ports/user-directory.js';
import type { DatabaseNotices, NoticeListener } from '../../../database/notices/notices.js';
import { RememberedLogins } from './remembered-logins.provider.js';

class SetClock extends Clock {
  milliseconds = 0;

  override now(): Date {
    return new Date(this.milliseconds);
  }
}

const ADA = { userId: 'ada', password: 'secret' };
const LOGGED_IN: LoggedIn = {
  account: { userId: 'ada', displayName: 'Ada', isAdmin: false, lastLoginSeconds: 0 },
  credential: { kind: 'password' },
};

describe('a remembered login', () => {
  let clock: SetClock;
  let listener: NoticeListener;
  let logins: RememberedLogins;
  beforeEach(() => {
    clock = new SetClock();
    const notices: Pick<DatabaseNotices, 'follow'> = {
      follow: (_channel, given) => void (listener = given),
    };
    logins = new RememberedLogins(clock, notices as DatabaseNotices);
    listener.resumed();
  });

  const remember = (credentials = ADA) => logins.remember(credentials, LOGGED_IN, logins.changes);

  it('is found by its user and password alone', () => {
    remember();

    expect(logins.find(ADA)).toBe(LOGGED_IN);
    expect(logins.find({ ...ADA, password: 'other' })).toBeNull();
    expect(logins.find({ ...ADA, userId: 'bob' })).toBeNull();
  });

  it('is forgotten after two seconds', () => {
    remember();
    clock.milliseconds = 1999;
    expect(logins.find(ADA)).toBe(LOGGED_IN);
    clock.milliseconds = 2000;
    expect(logins.find(ADA)).toBeNull();
  });

  it('is forgotten when its user changes here or elsewhere', () => {
    remember();
    logins.forget('ada');
    expect(logins.find(ADA)).toBeNull();

    remember();
    listener.heard('bob');
    expect(logins.find(ADA)).toBe(LOGGED_IN);
    listener.heard('ada');
    expect(logins.find(ADA)).toBeNull();
  });

  it('is not remembered if anything changed while it was read', () => {
    const { changes } = logins;
    listener.heard('ada');
    logins.remember(ADA, LOGGED_IN, changes);

    expect(logins.find(ADA)).toBeNull();
  });

  it('is neither found nor remembered while notices are not received', () => {
    remember();
    listener.lost?.();
    expect(logins.find(ADA)).toBeNull();
    remember();
    expect(logins.find(ADA)).toBeNull();

    listener.resumed();
    remember();
    expect(logins.find(ADA)).toBe(LOGGED_IN);
  });

  it('is one of 20 per user and of those of 10,000 users', () => {
    remember();
    for (let n = 0; n < 20; n += 1) {
      remember({ ...ADA, password: `${n}` });
    }
    expect(logins.find(ADA)).toBeNull();
    expect(logins.find({ ...ADA, password: '0' })).toBe(LOGGED_IN);

    for (let n = 0; n < 10_000; n += 1) {
      remember({ ...ADA, userId: `user-${n}` });
    }
    expect(logins.find({ ...ADA, password: '0' })).toBeNull();
    expect(logins.find({ ...ADA, userId: 'user-0' })).toBe(LOGGED_IN);
  });
});
