import { CommandRefused } from './command-refused.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not access it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'it exists already; name a new one',
};
const NO_FOLDER = 'it exists, and is not a folder';

/** An error of the file system as a sentence that names the file. Other errors are unchanged. */
export function fileRefused(error: unknown, file = (error as NodeJS.ErrnoException).path): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const reason = code === 'EEXIST' && syscall === 'mkdir' ? NO_FOLDER : REASONS[code];
  return file === undefined || reason === undefined
    ? error
    : new CommandRefused(`${file}: ${reason}.`, { cause: error });
}
