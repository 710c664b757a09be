import { NameRefused, FileNotFound, ParentMissing } from '../files.errors.js';
import type { StoredNode } from './nodes.sql.js';

/** Names from the top folder down; empty for the top folder itself. */
export type FilePath = readonly string[];

const MAX_NAME_BYTES = 250;
const MAX_PATH_BYTES = 4000;

// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Normalises names to NFC (macOS sends NFD). @throws NameRefused */
export function toFilePath(names: readonly string[]): FilePath {
  const path = names.map((name) => name.normalize('NFC'));
  for (const name of path) {
    assertName(name);
  }
  if (Buffer.byteLength(path.join('/')) > MAX_PATH_BYTES) {
    throw new NameRefused(`A path has at most ${MAX_PATH_BYTES} bytes.`);
  }
  return path;
}

/** `/Pictures/a.png`; `/` for the top folder. */
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

/** Whether `path` is equal to `other` or below it. */
export function isWithin(path: FilePath, other: FilePath): boolean {
  return other.every((name, depth) => path[depth] === name);
}

function assertName(name: string): void {
  if (name.trim() === '' || name === '.' || name === '..') {
    throw new NameRefused(`"${name}" is not a valid name for a file or folder.`);
  }
  if (/[/\\]/.test(name) || CONTROL_CHARACTERS.test(name) || !name.isWellFormed()) {
    throw new NameRefused(
      'Names of files and folders must not contain a slash, a backslash or control characters.',
    );
  }
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new NameRefused(
      `Names of files and folders have at most ${MAX_NAME_BYTES} bytes; "${name.slice(0, 40)}…" has more.`,
    );
  }
}

/** A path in a user's tree, with the nodes along it. */
export interface ResolvedPath {
  readonly path: FilePath;
  readonly top: StoredNode;
  /** Null when nothing exists at the path. */
  readonly node: StoredNode | null;
  /** Null for the top folder, and when the parent does not exist or is a file. */
  readonly parent: StoredNode | null;
  /** Ids from the top folder down to the parent. */
  readonly ancestorIds: readonly number[];
}

export interface ExistingPath extends ResolvedPath {
  readonly node: StoredNode;
}

/** @param chain the nodes along the path from the top folder down, as far as they exist */
export function resolvePath(path: FilePath, chain: readonly StoredNode[]): ResolvedPath {
  const [top] = chain;
  if (top === undefined) {
    throw new Error('The tree has no top folder');
  }
  const above = path.length === 0 ? undefined : chain[path.length - 1];
  return {
    path,
    top,
    node: chain[path.length] ?? null,
    parent: above?.isFolder === true ? above : null,
    ancestorIds: chain.slice(0, path.length).map(({ id }) => id),
  };
}

/** @throws FileNotFound */
export function assertExists(resolved: ResolvedPath): asserts resolved is ExistingPath {
  if (resolved.node === null) {
    throw new FileNotFound(toText(resolved.path));
  }
}

/** @throws ParentMissing */
export function parentAt(resolved: ResolvedPath): {
  readonly parent: StoredNode;
  readonly name: string;
} {
  if (resolved.parent === null) {
    throw new ParentMissing(toText(resolved.path));
  }
  return { parent: resolved.parent, name: nameOf(resolved.path) };
}
