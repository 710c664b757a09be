import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../../database/database.js';
import { ConditionFailed, FileLocked } from '../files.errors.js';
import { toText, type FilePath } from '../tree/file-path.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { resolvePath, type ResolvedPath } from '../tree/resolved-path.js';
import { LocksRepository, type FileLock } from './locks.repository.js';
import {
  assertPreconditions,
  lockTokensOf,
  type Preconditions,
  type IfCondition,
} from './preconditions.js';

/** What a change affects, in terms of what a lock protects. */
type ChangeScope =
  /** content or properties */
  | 'node'
  /** the list of members of the parent folder */
  | 'membership'
  /** both, and everything below */
  | 'tree';

/** Decides by preconditions and locks whether a change is allowed. */
@Injectable()
export class LockCheck {
  constructor(
    private readonly locks: LocksRepository,
    private readonly nodes: NodesRepository,
  ) {}

  /**
   * @param requested the node at the address of the request, to which the preconditions apply
   * @throws FileLocked unless the request has the tokens of all locks that forbid the change
   */
  async assertAllowed(
    tx: Transaction,
    userId: string,
    preconditions: Preconditions,
    requested: StoredNode | null,
    ...changes: readonly (readonly [ResolvedPath, ChangeScope])[]
  ): Promise<void> {
    assertPreconditions(preconditions, requested);
    const locks = await this.locks.list(userId, tx);
    await this.#assertPremises(tx, userId, preconditions, locks, requested);
    const tokens = lockTokensOf(preconditions);
    for (const [resolved, scope] of changes) {
      if (locks.some((lock) => !tokens.has(lock.token) && isInTheWay(lock, resolved, scope))) {
        throw new FileLocked(toText(resolved.path));
      }
    }
  }

  async #assertPremises(
    tx: Transaction,
    userId: string,
    { lists }: Preconditions,
    locks: readonly FileLock[],
    requested: StoredNode | null,
  ): Promise<void> {
    for (const { path, conditions } of lists) {
      const node = path === null ? requested : await this.#nodeAt(tx, userId, path);
      if (conditions.every((condition) => holds(condition, node, locks))) {
        return;
      }
    }
    if (lists.length > 0) {
      throw new ConditionFailed('No list of the If header matches the locks and etags.');
    }
  }

  async #nodeAt(tx: Transaction, userId: string, path: FilePath): Promise<StoredNode | null> {
    return resolvePath(path, await this.nodes.chain(userId, path, tx)).node;
  }
}

function holds(
  { negated, lockToken, etag }: IfCondition,
  node: StoredNode | null,
  locks: readonly FileLock[],
): boolean {
  const matches =
    lockToken === undefined ? node?.etag === etag : locks.some(({ token }) => token === lockToken);
  return matches !== negated;
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
