import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Offer } from '../../../common/ports/offer.js';
import type { Transaction } from '../../../database/database.js';
import {
  AlreadyExists,
  ConditionFailed,
  IntoItself,
  SameFile,
  TopFolderStays,
} from '../files.errors.js';
import { LockCheck, type Preconditions } from '../locks/lock-check.service.js';
import { LocksRepository } from '../locks/locks.repository.js';
import { FileEvents } from '../tree/file-events.service.js';
import { mimeOf } from '../tree/file-kinds.js';
import {
  isWithin,
  toText,
  type FilePath,
  assertExists,
  parentAt,
  type ResolvedPath,
  type ExistingPath,
} from '../tree/file-path.js';
import { NodesRepository, propertyBytesOf } from '../tree/nodes.repository.js';
import type { NodeChange, StoredNode, TreeGrowth } from '../tree/nodes.sql.js';
import { TreeLimits } from '../tree/tree-limits.service.js';
import { TreeRemovals } from '../tree/tree-removals.task.js';

/** Without a trash, deletions are permanent. */
export class TrashOffer extends Offer<{
  /** @param tx of `NodesRepository.change`; call `TreeRemovals.wake` when it has committed */
  put(tx: Transaction, resolved: ExistingPath): Promise<void>;
}> {}

/** The `Destination` and `Overwrite` of a `MOVE` or `COPY`. */
export interface MoveRequest {
  readonly from: FilePath;
  readonly to: FilePath;

  readonly overwrite: boolean;
}

export interface MoveResult {
  readonly node: StoredNode;
  /** Whether an existing file or folder was overwritten. */
  readonly replaced: boolean;
}

/**
 * Changes to users' trees. Each is one transaction with its events and the new sizes and etags of
 * all folders above.
 */
@Injectable()
export class FileChangesService {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly locks: LocksRepository,
    private readonly check: LockCheck,
    private readonly events: FileEvents,
    private readonly removals: TreeRemovals,
    private readonly treeLimits: TreeLimits,
    private readonly trash: TrashOffer,
    private readonly clock: Clock,
  ) {}

  /** @throws AlreadyExists */
  async makeFolder(
    userId: string,
    path: FilePath,
    preconditions: Preconditions,
  ): Promise<StoredNode> {
    return this.nodes.change(userId, async (tx) => {
      const resolved = await this.nodes.resolve(userId, path, tx);
      if (resolved.node !== null) {
        throw new AlreadyExists(toText(path));
      }
      const { parent, name } = parentAt(resolved);
      await this.check.assertAllowed(tx, userId, preconditions, null, [resolved, 'membership']);
      await this.treeLimits.assertRoomFor(tx, resolved.top, 1);
      const nowSeconds = this.clock.nowSeconds();
      const node = await this.nodes.addFolder(tx, parent, name, nowSeconds);
      await this.nodes.propagateChange(tx, parent, { bytes: 0, nodes: 1 }, nowSeconds);
      await this.events.publish(tx, 'NodeCreatedEvent', { node, path });
      return node;
    });
  }

  /**
   * Moves a node with everything below it to the trash.
   *
   * @throws TopFolderStays
   */
  async remove(userId: string, path: FilePath, preconditions: Preconditions): Promise<void> {
    await this.#changeAndDrain(userId, async (tx) => {
      const resolved = await this.nodes.locate(userId, path, tx);
      assertNotTop(path);
      await this.check.assertAllowed(tx, userId, preconditions, resolved.node, [resolved, 'tree']);
      await this.#detach(tx, resolved, async () => {
        const { service: trash } = this.trash;
        await (trash?.put(tx, resolved) ?? this.removals.remove(tx, resolved.node));
      });
    });
  }

  /**
   * @throws FileNotFound, ParentMissing, TopFolderStays, SameFile, IntoItself
   * @throws ConditionFailed also when the destination exists and must not be overwritten
   */
  async move(
    userId: string,
    moveRequest: MoveRequest,
    preconditions: Preconditions,
  ): Promise<MoveResult> {
    return this.#changeAndDrain(userId, async (tx) => {
      const source = await this.nodes.locate(userId, moveRequest.from, tx);
      assertNotTop(moveRequest.from);
      assertPossible(moveRequest, source);
      const target = await this.nodes.resolve(userId, moveRequest.to, tx);
      const { parent, name } = parentAt(target);
      await this.check.assertAllowed(
        tx,
        userId,
        preconditions,
        source.node,
        [source, 'tree'],
        [target, 'tree'],
      );
      await this.#removeTarget(tx, target, moveRequest);
      const { node: before } = source;
      const old = parentAt(source).parent;
      await this.locks.removeWithin(tx, userId, before.id);
      const mime = before.isFolder ? before.mime : mimeOf(name);
      const node = await this.nodes.move(tx, before, parent, name, mime);
      const nowSeconds = this.clock.nowSeconds();
      await this.nodes.propagateChange(tx, old, shrunkBy(node), nowSeconds);
      await this.nodes.propagateChange(tx, parent, grownBy(node), nowSeconds);
      await this.events.publish(tx, 'NodeRenamedEvent', {
        node,
        path: moveRequest.to,
        source: { node: before, path: moveRequest.from },
      });
      return { node, replaced: target.node !== null };
    });
  }

  /**
   * @param shallow copies a folder without its members
   * @throws FileNotFound, ParentMissing, TopFolderStays, SameFile, IntoItself, QuotaExceeded
   * @throws ConditionFailed also when the destination exists and must not be overwritten
   */
  async copy(
    userId: string,
    moveRequest: MoveRequest,
    shallow: boolean,
    preconditions: Preconditions,
  ): Promise<MoveResult> {
    return this.#changeAndDrain(userId, async (tx) => {
      const source = await this.nodes.locate(userId, moveRequest.from, tx);
      assertPossible(moveRequest, source);
      const target = await this.nodes.resolve(userId, moveRequest.to, tx);
      const { parent, name } = parentAt(target);
      const { node: original } = source;
      const growth = shallow && original.isFolder ? { bytes: 0, nodes: 1 } : grownBy(original);
      const replacedBytes = target.node?.sizeBytes;
      await this.treeLimits.assertRoomForBytes(tx, target.top, growth.bytes, replacedBytes);
      this.treeLimits.assertWithinRequestLimit(growth.nodes);
      const replacedNodes = target.node === null ? 0 : target.node.nodeCount + 1;
      await this.treeLimits.assertRoomFor(tx, target.top, growth.nodes - replacedNodes);
      await this.check.assertAllowed(tx, userId, preconditions, original, [target, 'tree']);
      await this.#removeTarget(tx, target, moveRequest);
      const mime = original.isFolder ? original.mime : mimeOf(name);
      const node = await this.nodes.copy(tx, original, parent, name, mime, shallow);
      this.treeLimits.assertPropertiesFit(await this.nodes.propertyBytes(tx, userId));
      await this.nodes.propagateChange(tx, parent, growth, this.clock.nowSeconds());
      await this.events.publish(tx, 'NodeCopiedEvent', {
        node,
        path: moveRequest.to,
        source: { node: original, path: moveRequest.from },
      });
      return { node, replaced: target.node !== null };
    });
  }

  /** @param decide computes the change from the current node, under the lock */
  async setProperties(
    userId: string,
    path: FilePath,
    preconditions: Preconditions,
    decide: (node: StoredNode) => NodeChange,
  ): Promise<StoredNode> {
    return this.nodes.change(userId, async (tx) => {
      const resolved = await this.nodes.locate(userId, path, tx);
      await this.check.assertAllowed(tx, userId, preconditions, resolved.node, [resolved, 'node']);
      const change = decide(resolved.node);
      const node = await this.nodes.set(tx, resolved.node, change);
      if (propertyBytesOf(node.deadProperties) > propertyBytesOf(resolved.node.deadProperties)) {
        this.treeLimits.assertPropertiesFit(await this.nodes.propertyBytes(tx, userId));
      }
      if (change.mtimeSeconds === undefined) {
        return node;
      }
      if (resolved.parent !== null) {
        await this.nodes.propagateChange(tx, resolved.parent, UNCHANGED, this.clock.nowSeconds());
      }
      await this.events.publish(tx, 'NodeTouchedEvent', { node, path });
      return node;
    });
  }

  /** A change that may detach large trees, whose removal starts after the commit. */
  async #changeAndDrain<Result>(
    userId: string,
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.nodes.change(userId, work);
    this.removals.wake();
    return result;
  }

  /** Deletes the destination permanently. @throws ConditionFailed when it must not be overwritten */
  async #removeTarget(
    tx: Transaction,
    target: ResolvedPath,
    { overwrite }: MoveRequest,
  ): Promise<void> {
    if (target.node === null) {
      return;
    }
    if (!overwrite) {
      throw new ConditionFailed(`"${toText(target.path)}" exists, and Overwrite is F.`);
    }
    assertExists(target);
    await this.#detach(tx, target, () => this.removals.remove(tx, target.node));
  }

  async #detach(
    tx: Transaction,
    resolved: ExistingPath,
    remove: () => Promise<void>,
  ): Promise<void> {
    const { node, path } = resolved;
    await this.locks.removeWithin(tx, node.userId, node.id);
    await remove();
    const { parent } = parentAt(resolved);
    await this.nodes.propagateChange(tx, parent, shrunkBy(node), this.clock.nowSeconds());
    await this.events.publish(tx, 'NodeDeletedEvent', { node, path });
  }
}

const UNCHANGED: TreeGrowth = { bytes: 0, nodes: 0 };

function grownBy({ sizeBytes, nodeCount }: StoredNode): TreeGrowth {
  return { bytes: sizeBytes, nodes: nodeCount + 1 };
}

function shrunkBy(node: StoredNode): TreeGrowth {
  const { bytes, nodes } = grownBy(node);
  return { bytes: -bytes, nodes: -nodes };
}

function assertNotTop(path: FilePath): void {
  if (path.length === 0) {
    throw new TopFolderStays();
  }
}

function assertPossible({ from, to }: MoveRequest, { node }: ExistingPath): void {
  assertNotTop(to);
  const isAtOrAbove = isWithin(from, to);
  if (isAtOrAbove && from.length === to.length) {
    throw new SameFile();
  }
  if (isAtOrAbove || (node.isFolder && isWithin(to, from))) {
    throw new IntoItself();
  }
}
