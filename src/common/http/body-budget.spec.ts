import { describe, expect, it } from '@jest/globals';
import { BodyBudget, NoRoomForBody, TooManyBodies } from './body-budget.js';

const stranger = (network: string) => ({ known: false, key: `network:${network}` });
const ada = { known: true, key: 'user:ada' };

describe('BodyBudget', () => {
  const budget = () => new BodyBudget({ anonymous: 100, network: 60, known: 200 });

  it('refuses a network more than its share', () => {
    const shared = budget();
    shared.take(stranger('a'), 60);

    expect(() => shared.take(stranger('a'), 1)).toThrow(TooManyBodies);
    expect(() => shared.take(stranger('b'), 40)).not.toThrow();
  });

  it('refuses all strangers together more than theirs, and nobody who is known', () => {
    const shared = budget();
    shared.take(stranger('a'), 60);
    shared.take(stranger('b'), 40);

    expect(() => shared.take(stranger('c'), 1)).toThrow(NoRoomForBody);
    expect(() => shared.take(ada, 200)).not.toThrow();
    expect(() => shared.take(ada, 1)).toThrow(TooManyBodies);
  });

  it('has room again for what was given back, and counts nothing that it refused', () => {
    const shared = budget();
    shared.take(stranger('a'), 60);
    expect(() => shared.take(stranger('a'), 60)).toThrow(TooManyBodies);
    shared.giveBack(stranger('a'), 60);

    expect(shared.anonymousBytes).toBe(0);
    expect(() => shared.take(stranger('a'), 60)).not.toThrow();
  });
});
