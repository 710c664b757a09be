import { NameRefused } from '../files.errors.js';

/** Names from the top folder down; empty for the top folder itself. */
export type FilePath = readonly string[];

const LONGEST_NAME_BYTES = 250;
const LONGEST_PATH_BYTES = 4000;

/** Line breaks and the like: nobody sees them, and protocols trip over them. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f]/;

/**
 * Names as they are kept: composed (NFC), since a Mac sends them taken apart and means the same.
 *
 * @throws NameRefused
 */
export function toFilePath(names: readonly string[]): FilePath {
  const path = names.map((name) => name.normalize('NFC'));
  for (const name of path) {
    assertName(name);
  }
  if (Buffer.byteLength(path.join('/')) > LONGEST_PATH_BYTES) {
    throw new NameRefused(`A path has at most ${LONGEST_PATH_BYTES} bytes.`);
  }
  return path;
}

/** As people write it: `/Pictures/a.png`, and `/` for the top. */
export function toText(path: FilePath): string {
  return `/${path.join('/')}`;
}

export function parentOf(path: FilePath): FilePath {
  return path.slice(0, -1);
}

/** Empty for the top folder. */
export function nameOf(path: FilePath): string {
  return path.at(-1) ?? '';
}

/** Whether `path` is the other one or below it. */
export function isWithin(path: FilePath, other: FilePath): boolean {
  return other.every((name, depth) => path[depth] === name);
}

function assertName(name: string): void {
  if (name.trim() === '' || name === '.' || name === '..') {
    throw new NameRefused(`"${name}" is not a name for a file or folder.`);
  }
  if (/[/\\]/.test(name) || UNSEEN.test(name) || !name.isWellFormed()) {
    throw new NameRefused(
      'Names of files and folders hold no slash, no backslash and no control characters.',
    );
  }
  if (Buffer.byteLength(name) > LONGEST_NAME_BYTES) {
    throw new NameRefused(
      `Names of files and folders have at most ${LONGEST_NAME_BYTES} bytes; "${name.slice(0, 40)}…" has more.`,
    );
  }
}
