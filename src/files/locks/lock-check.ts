import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../database/database.js';
import { assertConditions, lockTokensOf, type Conditions, type Premise } from './conditions.js';
import { ConditionFailed, FileLocked } from '../files.errors.js';
import { toText, type FilePath } from '../tree/file-path.js';
import { spotOf, type Spot } from '../tree/resolved-path.js';
import { LocksRepository, type FileLock } from './locks.repository.js';
import { NodesRepository, type StoredNode } from '../tree/nodes.repository.js';

/** What is about to be done at a spot, in terms of what a lock protects. */
export type Touches =
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
   * @param asked what is at the address of the request, which the conditions are about
   * @throws ConditionFailed
   * @throws FileLocked unless the request names the tokens of all locks that are in the way
   */
  async assertAllowed(
    tx: SqlRunner,
    userId: string,
    conditions: Conditions,
    asked: StoredNode | null,
    ...changes: readonly (readonly [Spot, Touches])[]
  ): Promise<void> {
    assertConditions(conditions, asked);
    const locks = await this.locks.list(userId, tx);
    await this.#assertPremises(tx, userId, conditions, locks, asked);
    const tokens = lockTokensOf(conditions);
    for (const [spot, touches] of changes) {
      if (locks.some((lock) => !tokens.has(lock.token) && isInTheWay(lock, spot, touches))) {
        throw new FileLocked(toText(spot.path));
      }
    }
  }

  async #assertPremises(
    tx: SqlRunner,
    userId: string,
    { lists }: Conditions,
    locks: readonly FileLock[],
    asked: StoredNode | null,
  ): Promise<void> {
    for (const { path, premises } of lists) {
      const node = path === null ? asked : await this.#nodeAt(tx, userId, path);
      if (premises.every((premise) => holds(premise, node, locks))) {
        return;
      }
    }
    if (lists.length > 0) {
      throw new ConditionFailed('Neither the locks nor the versions are those that were named.');
    }
  }

  async #nodeAt(tx: SqlRunner, userId: string, path: FilePath): Promise<StoredNode | null> {
    return spotOf(path, await this.nodes.chain(userId, path, tx)).node;
  }
}

function holds(
  { negated, lockToken, etag }: Premise,
  node: StoredNode | null,
  locks: readonly FileLock[],
): boolean {
  const isSo =
    lockToken === undefined ? node?.etag === etag : locks.some(({ token }) => token === lockToken);
  return isSo !== negated;
}

function isInTheWay(lock: FileLock, spot: Spot, touches: Touches): boolean {
  const { nodeId, isDeep, lineage } = lock;
  if (isDeep && spot.ancestorIds.includes(nodeId)) {
    return true;
  }
  if (touches !== 'node' && spot.parent?.id === nodeId) {
    return true;
  }
  if (spot.node === null) {
    return false;
  }
  return touches === 'tree' ? lineage.includes(spot.node.id) : nodeId === spot.node.id;
}
