import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { Transaction } from '../../../database/database.js';
import { NotInTrash } from '../files.errors.js';
import { LockCheck } from '../locks/lock-check.service.js';
import { FileEvents } from '../tree/file-events.service.js';
import { mimeOf } from '../tree/file-kinds.js';
import { type FilePath, parentAt } from '../tree/file-path.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { TreeLimits } from '../tree/tree-limits.service.js';
import { TreeRemovals } from '../tree/tree-removals.task.js';
import { Trash } from './trash-trees.service.js';
import { TrashRepository, type TrashedNode, type TrashEntry } from './trash.repository.js';

/** Names have at most 250 bytes; leaves room for the number. */
const MAX_BYTES = 240;

/** A restored node and where it is now. */
interface Restored {
  readonly node: StoredNode;
  readonly path: FilePath;
}

interface Place {
  readonly folder: StoredNode;
  readonly path: FilePath;
}

/** The trash of a user: list, restore, delete permanently. */
@Injectable()
export class TrashService {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly entries: TrashRepository,
    private readonly trash: Trash,
    private readonly removals: TreeRemovals,
    private readonly treeLimits: TreeLimits,
    private readonly check: LockCheck,
    private readonly events: FileEvents,
    private readonly clock: Clock,
  ) {}

  /** Latest deletions first. */
  async list(userId: string): Promise<TrashedNode[]> {
    return this.entries.list(userId);
  }

  /**
   * Restores a node with everything below it: into its former folder, even if that was moved; if that was
   * deleted, at its former path, whose folders are created. A name in use gets a number.
   *
   * @throws NotInTrash, QuotaExceeded, TooManyFiles, FileLocked
   */
  async restore(userId: string, id: number): Promise<Restored> {
    return this.nodes.change(userId, async (tx) => {
      const entry = await this.#take(tx, userId, id);
      const { top } = await this.nodes.resolve(userId, [], tx);
      await this.treeLimits.assertRoomForBytes(tx, top, entry.sizeBytes);
      await this.treeLimits.assertRoomFor(tx, top, entry.nodeCount + entry.folderPath.length);
      const place = await this.#placeFor(tx, userId, entry);
      const name = await this.#nameFor(tx, userId, place, entry.name);
      const path = [...place.path, name];
      await this.#assertNotLocked(tx, userId, path);
      const node = await this.entries.attach(tx, entry, {
        parentId: place.folder.id,
        name,
        mime: mimeOf(name),
      });
      const growth = { bytes: entry.sizeBytes, nodes: entry.nodeCount };
      await this.nodes.propagateChange(tx, place.folder, growth, this.clock.nowSeconds());
      await this.events.publish(tx, 'NodeCreatedEvent', { node, path });
      return { node, path };
    });
  }

  async remove(userId: string, id: number): Promise<void> {
    await this.nodes.change(userId, async (tx) => {
      await this.trash.removeForGood(tx, await this.#take(tx, userId, id));
    });
    this.removals.wake();
  }

  async empty(userId: string): Promise<void> {
    await this.nodes.change(userId, async (tx) => {
      const nothing = { bytes: -1, nodes: -1, entries: 0 };
      for (const entry of await this.entries.takeExcess(tx, userId, nothing)) {
        await this.trash.removeForGood(tx, entry);
      }
    });
    this.removals.wake();
  }

  async #take(tx: Transaction, userId: string, id: number): Promise<TrashEntry> {
    return NotInTrash.unless(await this.entries.take(tx, userId, id), id);
  }

  async #placeFor(tx: Transaction, userId: string, entry: TrashEntry): Promise<Place> {
    const [folder] = await this.nodes.findWithPaths(userId, [entry.folderId], tx);
    if (folder !== undefined) {
      return { folder, path: folder.path };
    }
    let place: Place = { folder: (await this.nodes.resolve(userId, [], tx)).top, path: [] };
    for (const name of entry.folderPath) {
      place = await this.#folderIn(tx, userId, place, name);
    }
    return place;
  }

  /** The folder of this name; created when it is missing, with a number when a file has the name. */
  async #folderIn(tx: Transaction, userId: string, place: Place, name: string): Promise<Place> {
    const { node: found } = await this.nodes.resolve(userId, [...place.path, name], tx);
    if (found?.isFolder === true) {
      return { folder: found, path: [...place.path, name] };
    }
    const unused = await this.#nameFor(tx, userId, place, name);
    const path = [...place.path, unused];
    await this.#assertNotLocked(tx, userId, path);
    const nowSeconds = this.clock.nowSeconds();
    const folder = await this.nodes.addFolder(tx, place.folder, unused, nowSeconds);
    await this.nodes.propagateChange(tx, place.folder, { bytes: 0, nodes: 1 }, nowSeconds);
    await this.events.publish(tx, 'NodeCreatedEvent', { node: folder, path });
    return { folder, path };
  }

  async #nameFor(tx: Transaction, userId: string, place: Place, name: string): Promise<string> {
    const { node: taken } = await this.nodes.resolve(userId, [...place.path, name], tx);
    return taken === null
      ? name
      : freeName(name, (stem, extension) =>
          this.entries.freeNumber(tx, place.folder.id, stem, extension),
        );
  }

  async #assertNotLocked(tx: Transaction, userId: string, path: FilePath): Promise<void> {
    const resolved = await this.nodes.resolve(userId, path, tx);
    parentAt(resolved);
    await this.check.assertAllowed(tx, userId, { lists: [] }, null, [resolved, 'membership']);
  }
}

/**
 * `letter (2).txt` for `letter.txt`; long names are shortened before the number.
 *
 * @param findNumber finds the lowest number that makes the name free
 */
async function freeName(
  name: string,
  findNumber: (stem: string, extension: string) => Promise<number>,
): Promise<string> {
  const dot = name.lastIndexOf('.');
  const isExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_BYTES / 2;
  const [whole, extension] = isExtension ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const stem = shortened(whole, MAX_BYTES - Buffer.byteLength(extension));
  return `${stem} (${await findNumber(stem, extension)})${extension}`;
}

function shortened(text: string, maxBytes: number): string {
  const characters = [...text];
  while (Buffer.byteLength(characters.join('')) > maxBytes) {
    characters.pop();
  }
  return characters.join('');
}
