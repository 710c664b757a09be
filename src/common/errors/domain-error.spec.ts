import { describe, expect, it } from '@jest/globals';
import { notFound } from './domain-error.js';

class GroupNotFound extends notFound((name: string) => `There is no group ${name}.`) {}

describe('DomainError', () => {
  it('keeps no more than 4,000 characters of what a request named', () => {
    expect(new GroupNotFound('readers').message).toBe('There is no group readers.');

    const { message } = new GroupNotFound('x'.repeat(1_000_000));

    expect(message).toHaveLength(4_001);
    expect(message).toMatch(/^There is no group x+…$/);
  });
});
