import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../../database/database.js';
import { ConditionFailed, FileLocked } from '../files.errors.js';
import { toText, type FilePath, type ResolvedPath } from '../tree/file-path.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { LocksRepository, type FileLock } from './locks.repository.js';

/** One condition of an `If` header (RFC 4918, section 10.4): a lock token or an etag. */
export interface IfCondition {
  readonly negated: boolean;
  readonly lockToken?: string;
  readonly etag?: string;
}

/** A list of the `If` header: all of its conditions have to hold. */
export interface IfConditionList {
  /** The resource tag; null for the address of the request. */
  readonly path: FilePath | null;
  readonly conditions: readonly IfCondition[];
}

/** The conditional headers of a request. Etags are without quotes. */
export interface Preconditions {
  readonly ifMatch?: readonly string[] | '*';
  readonly ifNoneMatch?: readonly string[] | '*';
  readonly ifUnmodifiedSinceSeconds?: number;
  /** At least one of the lists must hold, if there are any. */
  readonly lists: readonly IfConditionList[];
}

/** Scope of a change, in terms of a lock's protection. */
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
      const node = path === null ? requested : (await this.nodes.resolve(userId, path, tx)).node;
      if (conditions.every((condition) => holds(condition, node, locks))) {
        return;
      }
    }
    if (lists.length > 0) {
      throw new ConditionFailed('No list of the If header matches the locks and etags.');
    }
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

/** Tokens in the `If` header, by which a request passes locks. */
export function lockTokensOf({ lists }: Preconditions): ReadonlySet<string> {
  const conditions = lists.flatMap((list) => list.conditions);
  return new Set(conditions.flatMap(({ lockToken }) => lockToken ?? []));
}

/** @throws ConditionFailed */
function assertPreconditions(preconditions: Preconditions, node: StoredNode | null): void {
  const { ifMatch, ifNoneMatch, ifUnmodifiedSinceSeconds } = preconditions;
  if (ifMatch !== undefined && !isOneOf(ifMatch, node)) {
    throw new ConditionFailed('The file has changed: its ETag does not match If-Match.');
  }
  if (ifNoneMatch !== undefined && isOneOf(ifNoneMatch, node)) {
    throw new ConditionFailed('A file or folder that matches If-None-Match exists.');
  }
  if (
    ifMatch === undefined &&
    ifUnmodifiedSinceSeconds !== undefined &&
    node !== null &&
    node.mtimeSeconds > ifUnmodifiedSinceSeconds
  ) {
    throw new ConditionFailed('It was changed after the time in If-Unmodified-Since.');
  }
}

function isOneOf(etags: readonly string[] | '*', node: StoredNode | null): boolean {
  return node !== null && (etags === '*' || etags.includes(node.etag));
}
