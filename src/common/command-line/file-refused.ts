import { CommandRefused } from './command-refused.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not access it',
  EPERM: 'this user may not change it',
  EROFS: 'it is on a disk that is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  EIO: 'the disk has a fault',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'it exists already; name a new one',
};
const NO_FOLDER = 'it exists, and is not a folder';

/** An error of the file system as a sentence that names the file. Other errors are unchanged. */
export function fileRefused(error: unknown, file = (error as NodeJS.ErrnoException).path): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const reason = code === 'EEXIST' && syscall === 'mkdir' ? NO_FOLDER : REASONS[code];
  // Only writing to an open file does not name it.
  return reason === undefined || (file === undefined && syscall !== 'write')
    ? error
    : new CommandRefused(`${file ?? 'A file of the service'}: ${reason}.`, { cause: error });
}
