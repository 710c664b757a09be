import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { Transaction } from '../../../database/database.js';
import type { BytePart } from '../stores/content-store.js';
import { BlobStore, type Algorithm, type ReceivedContent } from './blob-store.js';
import { BlobsRepository } from './blobs.repository.js';
import type { QuotaClaim } from './quota-claims.js';

/** Content as it arrives. */
interface IncomingContent {
  readonly body: Readable;
  /** As announced; 0 when unknown. */
  readonly sizeBytes: number;
  readonly claim: QuotaClaim;
  readonly algorithms: readonly Algorithm[];
  /** Rejects the complete content by throwing. */
  readonly verify?: (content: ReceivedContent) => void;
}

/** Stored content, and which of it is referenced. */
@Injectable()
export class ContentService {
  constructor(
    private readonly blobs: BlobStore,
    private readonly blobsRepository: BlobsRepository,
  ) {}

  /**
   * Stores content. Until `reference` is called it is unreferenced, and swept after a while.
   *
   * @throws UploadBrokenOff, ContentFolderMissing, ContentStoreAway, StorageFull, and what `verify` throws
   */
  async receive(incoming: IncomingContent): Promise<ReceivedContent> {
    const { body, sizeBytes, claim, algorithms, verify } = incoming;
    const content = await this.blobs.receive(body, sizeBytes, claim, algorithms);
    try {
      verify?.(content);
      await this.blobs.settle(content.blobId);
      return content;
    } catch (error) {
      await this.blobs.discard(content.blobId);
      throw error;
    }
  }

  /** Call in the transaction that stores a reference. @throws Error when the content was swept */
  async reference(tx: Transaction, blobId: string): Promise<void> {
    if (!(await this.blobsRepository.removeUnreferenced(tx, blobId))) {
      throw new Error(`Content ${blobId} was swept before it was saved`);
    }
  }

  /** @param part default: everything. @throws as `BlobStore.read` */
  async read(blobId: string, part?: BytePart): Promise<Readable> {
    return this.blobs.read(blobId, part);
  }
}
