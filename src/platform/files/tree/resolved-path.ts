import { FileNotFound, ParentMissing } from '../files.errors.js';
import { nameOf, toText, type FilePath } from './file-path.js';
import type { StoredNode } from './nodes.sql.js';

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

/** The path of an existing node. */
export interface ExistingPath extends ResolvedPath {
  readonly node: StoredNode;
}

/** @param chain see `NodesRepository.chain` */
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
