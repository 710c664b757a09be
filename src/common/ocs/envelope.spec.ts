import { describe, expect, it } from '@jest/globals';
import { httpStatusOf } from './envelope.js';

describe('httpStatusOf', () => {
  it.each([400, 403, 404, 500, 501, 996, 998, 999])('is 200 under v1 for code %i', (code) => {
    expect(httpStatusOf('v1', code)).toBe(200);
  });

  it.each(['v1', 'v2', 'bare'] as const)('is 401 under %s for a failed login', (dialect) => {
    expect(httpStatusOf(dialect, 997)).toBe(401);
  });

  it.each(['v1', 'v2', 'bare'] as const)('is 429 under %s for too many requests', (dialect) => {
    expect(httpStatusOf(dialect, 429)).toBe(429);
  });

  it.each([
    [400, 400],
    [501, 501],
    [996, 500],
    [998, 404],
    [999, 500],
    [101, 400],
    [700, 400],
  ])('for code %i is %i under v2 and at bare paths', (code, status) => {
    expect(httpStatusOf('v2', code)).toBe(status);
    expect(httpStatusOf('bare', code)).toBe(status);
  });
});
