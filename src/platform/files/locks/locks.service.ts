import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import { FileLocked, LockNotFound } from '../files.errors.js';
import { toText, type FilePath } from '../tree/file-path.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import { LockCheck, lockTokensOf, type Preconditions } from './lock-check.service.js';
import { LocksRepository, type FileLock } from './locks.repository.js';

interface NewLock {
  readonly isDeep: boolean;
  /** XML that the client reads back. */
  readonly owner: string;
  readonly timeoutSeconds: number;
}

export interface Locked {
  readonly lock: FileLock;
  readonly isFolder: boolean;
}

/** Exclusive write locks between the clients of one user (RFC 4918). */
@Injectable()
export class LocksService {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly locks: LocksRepository,
    private readonly check: LockCheck,
    private readonly config: Config,
  ) {}

  /**
   * Locks a file or folder.
   *
   * @throws FileLocked when a lock on the node, above it or, for a deep lock, below it exists
   */
  async lock(
    userId: string,
    path: FilePath,
    wanted: NewLock,
    preconditions: Preconditions,
  ): Promise<Locked> {
    return this.nodes.change(userId, async (tx) => {
      const { node, ancestorIds } = await this.nodes.locate(userId, path, tx);
      await this.check.assertAllowed(tx, userId, preconditions, node);
      const held = await this.locks.list(userId, tx);
      const isTaken = held.some(
        (lock) =>
          lock.nodeId === node.id ||
          (lock.isDeep && ancestorIds.includes(lock.nodeId)) ||
          (wanted.isDeep && lock.lineage.includes(node.id)),
      );
      if (isTaken) {
        throw new FileLocked(toText(path));
      }
      assertBelowLimit(this.config, 'locks-per-user', held.length);
      const { isDeep, owner, timeoutSeconds } = wanted;
      const lock = { nodeId: node.id, isDeep, owner };
      const token = await this.locks.add(tx, userId, lock, timeoutSeconds);
      const lineage = [node.id, ...ancestorIds.toReversed()];
      return {
        lock: { ...lock, token, secondsLeft: timeoutSeconds, lineage },
        isFolder: node.isFolder,
      };
    });
  }

  /**
   * Renews the lock whose token is in the `If` header.
   *
   * @throws LockNotFound
   */
  async refresh(
    userId: string,
    path: FilePath,
    timeoutSeconds: number,
    preconditions: Preconditions,
  ): Promise<Locked> {
    return this.nodes.change(userId, async (tx) => {
      const { node, ancestorIds } = await this.nodes.locate(userId, path, tx);
      const tokens = lockTokensOf(preconditions);
      const held = await this.locks.list(userId, tx);
      const lock = LockNotFound.unless(
        locksOn(held, node.id, ancestorIds).find(({ token }) => tokens.has(token)),
      );
      await this.locks.extend(tx, userId, lock.token, timeoutSeconds);
      const extended = { ...lock, secondsLeft: timeoutSeconds };
      return { lock: extended, isFolder: node.isFolder };
    });
  }

  /** @throws LockNotFound */
  async unlock(userId: string, path: FilePath, token: string): Promise<void> {
    await this.nodes.change(userId, async (tx) => {
      const { node, ancestorIds } = await this.nodes.locate(userId, path, tx);
      const held = await this.locks.list(userId, tx);
      LockNotFound.unless(locksOn(held, node.id, ancestorIds).some((lock) => lock.token === token));
      await this.locks.remove(tx, userId, token);
    });
  }
}

/** The locks that cover a node: its own, and deep ones above it. */
export function locksOn(
  locks: readonly FileLock[],
  nodeId: number,
  ancestorIds: readonly number[],
): FileLock[] {
  return locks.filter(
    (lock) => lock.nodeId === nodeId || (lock.isDeep && ancestorIds.includes(lock.nodeId)),
  );
}
