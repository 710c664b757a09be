import { describe, expect, it } from '@jest/globals';
import { fileRefused } from './file-refused.js';

const aFault = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: raw`), { code, syscall, ...(path !== undefined && { path }) });

describe('an error of the file system', () => {
  it.each([
    ['EACCES', 'open', '/data/secret.key', '/data/secret.key: this user may not access it.'],
    ['EPERM', 'chmod', '/data', '/data: this user may not change it.'],
    ['EROFS', 'mkdir', '/data', '/data: it is on a disk that is read-only.'],
    ['ENOSPC', 'open', '/data/key', '/data/key: the disk is full.'],
    ['ENOSPC', 'write', undefined, 'A file of the service: the disk is full.'],
    [
      'EDQUOT',
      'write',
      undefined,
      'A file of the service: the disk quota of this user is used up.',
    ],
    ['ENOTDIR', 'mkdir', '/a/b', '/a/b: a part of its path is not a folder.'],
    ['EEXIST', 'mkdir', '/a', '/a: it exists, and is not a folder.'],
  ])('%s of %s %s is a sentence', (code, syscall, path, sentence) => {
    expect(fileRefused(aFault(code, syscall, path))).toMatchObject({ message: sentence });
  });

  it('is another one without a file', () => {
    const error = aFault('EACCES', 'connect');

    expect(fileRefused(error)).toBe(error);
  });
});
