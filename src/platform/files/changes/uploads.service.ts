import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { Clock } from '../../../common/clock.js';
import type { Transaction } from '../../../database/database.js';
import { BlobStore, type Algorithm, type ReceivedContent } from '../content/blob-store.service.js';
import { QuotaClaims } from '../content/quota-claims.service.js';
import { ChecksumMismatch, IsFolder } from '../files.errors.js';
import { LockCheck, type Preconditions } from '../locks/lock-check.service.js';
import { Quotas, type QuotaRoom } from '../quotas/quotas.service.js';
import { FileEvents } from '../tree/file-events.service.js';
import { mimeOf } from '../tree/file-kinds.js';
import { toText, type FilePath, parentAt, type ResolvedPath } from '../tree/file-path.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import type { NewContent, StoredNode } from '../tree/nodes.sql.js';
import { TreeLimits } from '../tree/tree-limits.service.js';

export interface Checksum {
  readonly algorithm: Algorithm;
  /** Lower-case hex. */
  readonly digest: string;
}

export interface Upload {
  readonly body: Readable;
  /** Announced size; undefined when unknown. */
  readonly sizeBytes: number | undefined;
  /** Modification time that the client gives; undefined for now. */
  readonly mtimeSeconds: number | undefined;
  /** Expected by the client. */
  readonly checksum: Checksum | undefined;
  readonly preconditions: Preconditions;
}

export interface Uploaded {
  readonly node: StoredNode;
  /** False if an existing file was overwritten. */
  readonly isNew: boolean;
}

/** Stores the content of files. An upload becomes visible when all of it is on the disk. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly blobs: BlobStore,
    private readonly check: LockCheck,
    private readonly events: FileEvents,
    private readonly treeLimits: TreeLimits,
    private readonly quotaClaims: QuotaClaims,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates or overwrites a file.
   *
   * @throws ParentMissing, IsFolder, TooManyFiles
   * @throws QuotaExceeded before the content is read if its size is announced, else while reading it
   * @throws ConditionFailed, FileLocked before the content is read, and again after it
   * @throws UploadBrokenOff, ChecksumMismatch, StorageFull, ContentFolderMissing
   */
  async upload(userId: string, path: FilePath, upload: Upload): Promise<Uploaded> {
    const { body, sizeBytes = 0, checksum } = upload;
    const room = await this.nodes.change(userId, async (tx) => {
      const resolved = await this.#resolve(tx, userId, path, upload.preconditions);
      return this.#roomFor(tx, resolved, sizeBytes);
    });
    const full = () => room.exceeded();
    const claim = this.quotaClaims.claim(userId, room.bytes, sizeBytes, full);
    try {
      const algorithms = [...new Set<Algorithm>(['SHA1', checksum?.algorithm ?? 'SHA1'])];
      const verify = (content: ReceivedContent) => assertChecksum(content, checksum);
      const received = await this.blobs.receive({ body, sizeBytes, claim, algorithms, verify });
      return await this.nodes.change(userId, (tx) =>
        this.#save(tx, userId, path, upload, received),
      );
    } finally {
      claim.release();
    }
  }

  /**
   * Creates an empty file for a lock, unless there is a file or folder.
   *
   * @returns whether it did
   * @throws as `upload`
   */
  async createMissing(
    userId: string,
    path: FilePath,
    preconditions: Preconditions,
  ): Promise<boolean> {
    if ((await this.nodes.resolve(userId, path)).node !== null) {
      return false;
    }
    await this.upload(userId, path, {
      body: Readable.from([]),
      sizeBytes: 0,
      mtimeSeconds: undefined,
      checksum: undefined,
      preconditions: { ...preconditions, ifNoneMatch: '*' },
    });
    return true;
  }

  async #save(
    tx: Transaction,
    userId: string,
    path: FilePath,
    upload: Upload,
    received: ReceivedContent,
  ): Promise<Uploaded> {
    const resolved = await this.#resolve(tx, userId, path, upload.preconditions);
    await this.#roomFor(tx, resolved, received.sizeBytes);
    await this.blobs.reference(tx, received.blobId);
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
    const isNew = resolved.node === null;
    const node =
      resolved.node === null
        ? await this.nodes.addFile(tx, parent, name, content)
        : await this.nodes.replaceContent(tx, resolved.node, content);
    const bytes = content.sizeBytes - (resolved.node?.sizeBytes ?? 0);
    await this.nodes.propagateChange(tx, parent, { bytes, nodes: isNew ? 1 : 0 }, nowSeconds);
    if (isNew) {
      await this.events.publish(tx, 'NodeCreatedEvent', { node, path });
    }
    await this.events.publish(tx, 'NodeWrittenEvent', { node, path });
    return { node, isNew };
  }

  /** Resolves the path and checks everything but the quota. @throws see `upload` */
  async #resolve(
    tx: Transaction,
    userId: string,
    path: FilePath,
    preconditions: Preconditions,
  ): Promise<ResolvedPath> {
    const resolved = await this.nodes.resolve(userId, path, tx);
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

  /** @throws QuotaExceeded */
  async #roomFor(
    tx: Transaction,
    { top, node }: ResolvedPath,
    sizeBytes: number,
  ): Promise<QuotaRoom> {
    const room = await this.quotas.roomFor(top, node?.sizeBytes, tx);
    room.assertFits(sizeBytes);
    return room;
  }
}

function assertChecksum({ digests }: ReceivedContent, expected: Checksum | undefined): void {
  const computed = expected && digests.get(expected.algorithm);
  if (expected !== undefined && computed !== expected.digest) {
    throw new ChecksumMismatch(expected.digest, computed ?? 'another');
  }
}
