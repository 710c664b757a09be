import { describe, expect, it } from '@jest/globals';
import { InvalidQuota } from '../../platform.errors.js';
import { readQuota, writeQuota } from './account-quotas.service.js';

describe('A storage quota', () => {
  it.each([
    ['5 GB', 5 * 1024 ** 3],
    ['512 MB', 512 * 1024 ** 2],
    ['1.5 TB', 1.5 * 1024 ** 4],
    ['1,5 tb', 1.5 * 1024 ** 4],
    ['5GiB', 5 * 1024 ** 3],
    ['3 k', 3072],
    ['0.3 KB', 307],
    ['1048576', 1048576],
    ['1048576 B', 1048576],
    ['0 B', 0],
    ['0', 0],
    [' none ', 'none'],
    ['Default', 'default'],
  ])('is read from "%s"', (text, quota) => {
    expect(readQuota(text)).toBe(quota);
  });

  it.each([
    '',
    'much',
    '-1',
    '-3',
    '5 XB',
    '5 G B',
    '1e3',
    '0x10',
    'GB',
    '1,500 MB',
    '1.2.3 GB',
    '.5 GB',
    '9 PB',
    '9007199254740992',
    'NaN',
    'Infinity',
  ])('is not "%s"', (text) => {
    expect(() => readQuota(text)).toThrow(InvalidQuota);
  });

  it.each([
    [5 * 1024 ** 3, '5 GB'],
    [1.5 * 1024 ** 4, '1.5 TB'],
    [512 * 1024 ** 2, '512 MB'],
    [1024 ** 3 + 1, '1073741825 B'],
    [1000, '1000 B'],
    [0, '0 B'],
    ['none', 'none'],
    ['default', 'default'],
  ] as const)('%s is written as "%s", which is read back', (quota, text) => {
    expect(writeQuota(quota)).toBe(text);
    expect(readQuota(text)).toBe(quota);
  });
});
