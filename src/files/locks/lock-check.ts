import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../database/database.js';
import {
  assertPreconditions,
  lockTokensOf,
  type Preconditions,
  type IfCondition,
} from './preconditions.js';
import { ConditionFailed, FileLocked } from '../files.errors.js';
import { toText, type FilePath } from '../tree/file-path.js';
import { resolvePath, type ResolvedPath } from '../tree/resolved-path.js';
import { LocksRepository, type FileLock } from './locks.repository.js';
import { NodesRepository, type StoredNode } from '../tree/nodes.repository.js';

/** What is about to be done to a node, in terms of what a lock protects. */
export type ChangeScope =
  /** content or properties */
  | 'node'
  /** that the name is in its folder */
  | 'membership'
  /** that, and everything below */
  | 'tree';

/** Decides whether a change may be made: by what the request demands, and by locks. */
@Injectable()
export class LockCheck {
  constructor(
    private readonly locks: LocksRepository,
    private readonly nodes: NodesRepository,
  ) {}

  /**
   * @param asked what is at the address of the request, which the preconditions are about
   * @throws ConditionFailed
   * @throws FileLocked unless the request names the tokens of all locks that are in the way
   */
  async assertAllowed(
    tx: SqlRunner,
    userId: string,
    preconditions: Preconditions,
    asked: StoredNode | null,
    ...changes: readonly (readonly [ResolvedPath, ChangeScope])[]
  ): Promise<void> {
    assertPreconditions(preconditions, asked);
    const locks = await this.locks.list(userId, tx);
    await this.#assertPremises(tx, userId, preconditions, locks, asked);
    const tokens = lockTokensOf(preconditions);
    for (const [resolved, scope] of changes) {
      if (locks.some((lock) => !tokens.has(lock.token) && isInTheWay(lock, resolved, scope))) {
        throw new FileLocked(toText(resolved.path));
      }
    }
  }

  async #assertPremises(
    tx: SqlRunner,
    userId: string,
    { lists }: Preconditions,
    locks: readonly FileLock[],
    asked: StoredNode | null,
  ): Promise<void> {
    for (const { path, conditions } of lists) {
      const node = path === null ? asked : await this.#nodeAt(tx, userId, path);
      if (conditions.every((condition) => holds(condition, node, locks))) {
        return;
      }
    }
    if (lists.length > 0) {
      throw new ConditionFailed('Neither the locks nor the versions are those that were named.');
    }
  }

  async #nodeAt(tx: SqlRunner, userId: string, path: FilePath): Promise<StoredNode | null> {
    return resolvePath(path, await this.nodes.chain(userId, path, tx)).node;
  }
}

function holds(
  { negated, lockToken, etag }: IfCondition,
  node: StoredNode | null,
  locks: readonly FileLock[],
): boolean {
  const isSo =
    lockToken === undefined ? node?.etag === etag : locks.some(({ token }) => token === lockToken);
  return isSo !== negated;
}

function isInTheWay(lock: FileLock, resolved: ResolvedPath, scope: ChangeScope): boolean {
  const { nodeId, isDeep, lineage } = lock;
  if (isDeep && resolved.ancestorIds.includes(nodeId)) {
    return true;
  }
  if (scope !== 'node' && resolved.parent?.id === nodeId) {
    return true;
  }
  if (resolved.node === null) {
    return false;
  }
  return scope === 'tree' ? lineage.includes(resolved.node.id) : nodeId === resolved.node.id;
}
