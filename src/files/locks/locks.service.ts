import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { lockTokensOf, type Preconditions } from './preconditions.js';
import { FileLocked, LockNotFound } from '../files.errors.js';
import { toText, type FilePath } from '../tree/file-path.js';
import { LockCheck } from './lock-check.js';
import { assertExists, resolvePath } from '../tree/resolved-path.js';
import { LocksRepository, type FileLock } from './locks.repository.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import { UploadsService } from '../content/uploads.service.js';

export interface NewLock {
  readonly isDeep: boolean;
  /** XML that the client wants to read again. */
  readonly owner: string;
  readonly timeoutSeconds: number;
}

export interface Locked {
  readonly lock: FileLock;
  readonly isFolder: boolean;
  /** Whether there was nothing, so that an empty file was made. */
  readonly isNew: boolean;
}

/** Exclusive write locks, by which the programs of one user keep out of each other's way. */
@Injectable()
export class LocksService {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly locks: LocksRepository,
    private readonly check: LockCheck,
    private readonly uploads: UploadsService,
    private readonly config: Config,
  ) {}

  /**
   * Locks what is there; where nothing is, an empty file is made first.
   *
   * @throws FileLocked when there is a lock already on the node, above it or, for a deep one, below
   * @throws ParentMissing, LimitReached
   * @throws ConditionFailed
   */
  async lock(
    userId: string,
    path: FilePath,
    wanted: NewLock,
    preconditions: Preconditions,
  ): Promise<Locked> {
    const isNew = resolvePath(path, await this.nodes.chain(userId, path)).node === null;
    if (isNew) {
      await this.uploads.upload(userId, path, {
        body: Readable.from([]),
        sizeBytes: 0,
        mtimeSeconds: undefined,
        checksum: undefined,
        preconditions: { ...preconditions, ifNoneMatch: '*' },
      });
    }
    return this.nodes.change(userId, async (tx) => {
      const resolved = resolvePath(path, await this.nodes.chain(userId, path, tx));
      assertExists(resolved);
      const { node, ancestorIds } = resolved;
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
      const token = await this.locks.add(tx, userId, node.id, isDeep, owner, timeoutSeconds);
      const lineage = [node.id, ...ancestorIds.toReversed()];
      const lock = { token, nodeId: node.id, isDeep, owner, secondsLeft: timeoutSeconds, lineage };
      return { lock, isFolder: node.isFolder, isNew };
    });
  }

  /**
   * Lets a lock last longer that the preconditions name.
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
      const resolved = resolvePath(path, await this.nodes.chain(userId, path, tx));
      assertExists(resolved);
      const tokens = lockTokensOf(preconditions);
      const held = await this.locks.list(userId, tx);
      const lock = locksOn(held, resolved.node.id, resolved.ancestorIds).find(({ token }) =>
        tokens.has(token),
      );
      if (lock === undefined) {
        throw new LockNotFound();
      }
      await this.locks.extend(tx, userId, lock.token, timeoutSeconds);
      const extended = { ...lock, secondsLeft: timeoutSeconds };
      return { lock: extended, isFolder: resolved.node.isFolder, isNew: false };
    });
  }

  /** @throws LockNotFound */
  async unlock(userId: string, path: FilePath, token: string): Promise<void> {
    await this.nodes.change(userId, async (tx) => {
      const resolved = resolvePath(path, await this.nodes.chain(userId, path, tx));
      assertExists(resolved);
      const held = await this.locks.list(userId, tx);
      if (
        !locksOn(held, resolved.node.id, resolved.ancestorIds).some((lock) => lock.token === token)
      ) {
        throw new LockNotFound();
      }
      await this.locks.remove(tx, userId, token);
    });
  }

  /** All that a user's programs hold now. */
  async list(userId: string): Promise<FileLock[]> {
    return this.locks.list(userId);
  }
}

/** The locks that a node is under: its own, and deep ones above it. */
export function locksOn(
  locks: readonly FileLock[],
  nodeId: number,
  ancestorIds: readonly number[],
): FileLock[] {
  return locks.filter(
    (lock) => lock.nodeId === nodeId || (lock.isDeep && ancestorIds.includes(lock.nodeId)),
  );
}
