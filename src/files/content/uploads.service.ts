import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import type { SqlRunner } from '../../database/database.js';
import type { Preconditions } from '../locks/preconditions.js';
import { FileEvents } from '../tree/file-events.js';
import { mimeOf } from '../tree/file-kinds.js';
import { toText, type FilePath } from '../tree/file-path.js';
import { ChecksumMismatch, IsFolder, QuotaExceeded } from '../files.errors.js';
import { roomLeftBytes } from '../tree/files.service.js';
import { LockCheck } from '../locks/lock-check.js';
import { parentAt, resolvePath, type ResolvedPath } from '../tree/resolved-path.js';
import { QuotaClaims, type QuotaClaim } from './quota-claims.js';
import { TreeLimits } from '../tree/tree-limits.js';
import { BlobStore, type Algorithm, type ReceivedContent } from './blob-store.js';
import { BlobsRepository } from './blobs.repository.js';
import { NodesRepository, type NewContent, type StoredNode } from '../tree/nodes.repository.js';

export interface Checksum {
  readonly algorithm: Algorithm;
  /** In hex, lower case. */
  readonly digest: string;
}

export interface Upload {
  readonly body: Readable;
  /** As announced; undefined when the sender does not know either. */
  readonly sizeBytes: number | undefined;
  /** When the content was changed last, by the sender's account. */
  readonly mtimeSeconds: number | undefined;
  /** What the sender says the content has. */
  readonly checksum: Checksum | undefined;
  readonly preconditions: Preconditions;
}

export interface Uploaded {
  readonly node: StoredNode;
  /** False when there was a file already, whose content is another now. */
  readonly isNew: boolean;
}

/** Takes in the content of files. Until all of it is on the disk, nobody sees any of it. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly blobs: BlobStore,
    private readonly unreferenced: BlobsRepository,
    private readonly check: LockCheck,
    private readonly events: FileEvents,
    private readonly treeLimits: TreeLimits,
    private readonly quotaClaims: QuotaClaims,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a file, or gives one other content.
   *
   * @throws ParentMissing
   * @throws IsFolder
   * @throws QuotaExceeded also when only the content shows how large it is
   * @throws ConditionFailed, FileLocked before the content is read, and again after it
   * @throws TooManyFiles
   * @throws UploadBrokenOff, ChecksumMismatch, StorageFull
   */
  async upload(userId: string, path: FilePath, upload: Upload): Promise<Uploaded> {
    const roomBytes = await this.nodes.change(userId, async (tx) => {
      const resolved = await this.#enter(tx, userId, path, upload.preconditions);
      this.#assertRoom(resolved, upload.sizeBytes ?? 0);
      return this.#roomBytes(resolved);
    });
    const full = () => new QuotaExceeded(this.config.filesQuotaBytes);
    const { sizeBytes = 0 } = upload;
    const room = this.quotaClaims.claim(userId, roomBytes, sizeBytes, full);
    try {
      return await this.#receive(userId, path, upload, room);
    } finally {
      room.release();
    }
  }

  async #receive(
    userId: string,
    path: FilePath,
    upload: Upload,
    room: QuotaClaim,
  ): Promise<Uploaded> {
    const { body, sizeBytes = 0, checksum } = upload;
    const algorithms = new Set<Algorithm>(['SHA1', checksum?.algorithm ?? 'SHA1']);
    const content = await this.blobs.receive(body, sizeBytes, room, [...algorithms]);
    try {
      assertChecksum(content, checksum);
      await this.unreferenced.announce(content.blobId);
      await this.blobs.settle(content.blobId);
    } catch (error) {
      await this.blobs.discard(content.blobId);
      throw error;
    }
    return this.nodes.change(userId, (tx) => this.#save(tx, userId, path, upload, content));
  }

  async #save(
    tx: SqlRunner,
    userId: string,
    path: FilePath,
    upload: Upload,
    received: ReceivedContent,
  ): Promise<Uploaded> {
    const resolved = await this.#enter(tx, userId, path, upload.preconditions);
    this.#assertRoom(resolved, received.sizeBytes);
    if (!(await this.unreferenced.claim(tx, received.blobId))) {
      throw new Error(`The content ${received.blobId} was swept away before it was saved`);
    }
    const { parent, name } = parentAt(resolved);
    const nowSeconds = this.clock.nowSeconds();
    const content: NewContent = {
      blobId: received.blobId,
      mime: mimeOf(name),
      sizeBytes: received.sizeBytes,
      checksum: `SHA1:${received.digests.get('SHA1')}`,
      mtimeSeconds: upload.mtimeSeconds ?? nowSeconds,
      uploadedSeconds: nowSeconds,
    };
    const node =
      resolved.node === null
        ? await this.nodes.addFile(tx, parent, name, content)
        : await this.nodes.replaceContent(tx, resolved.node, content);
    const growth = {
      bytes: content.sizeBytes - (resolved.node?.sizeBytes ?? 0),
      nodes: resolved.node === null ? 1 : 0,
    };
    await this.nodes.propagateChange(tx, parent, growth, nowSeconds);
    if (resolved.node === null) {
      await this.events.publish(tx, 'NodeCreatedEvent', { node, path });
    }
    await this.events.publish(tx, 'NodeWrittenEvent', { node, path });
    return { node, isNew: resolved.node === null };
  }

  /** Goes to where the content is to be, if it may be there. */
  async #enter(
    tx: SqlRunner,
    userId: string,
    path: FilePath,
    preconditions: Preconditions,
  ): Promise<ResolvedPath> {
    const resolved = resolvePath(path, await this.nodes.chain(userId, path, tx));
    if (resolved.node?.isFolder === true) {
      throw new IsFolder(toText(path));
    }
    parentAt(resolved);
    if (resolved.node === null) {
      await this.treeLimits.assertRoomFor(tx, resolved.top, 1);
    }
    const scope = resolved.node === null ? 'membership' : 'node';
    await this.check.assertAllowed(tx, userId, preconditions, resolved.node, [resolved, scope]);
    return resolved;
  }

  #roomBytes({ top, node }: ResolvedPath): number {
    return roomLeftBytes(this.config, top) + (node?.sizeBytes ?? 0);
  }

  #assertRoom(resolved: ResolvedPath, sizeBytes: number): void {
    if (sizeBytes > this.#roomBytes(resolved)) {
      throw new QuotaExceeded(this.config.filesQuotaBytes);
    }
  }
}

function assertChecksum({ digests }: ReceivedContent, announced: Checksum | undefined): void {
  const computed = announced && digests.get(announced.algorithm);
  if (announced !== undefined && computed !== announced.digest) {
    throw new ChecksumMismatch(announced.digest, computed ?? 'another');
  }
}
