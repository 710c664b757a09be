import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StorageUses, type StorageUse } from '../../../common/ports/storage-use.js';
import { BlobStore } from '../content/blob-store.service.js';
import { Quotas } from '../quotas/quotas.service.js';
import { NodesRepository } from './nodes.repository.js';

/** Answers the port `StorageUses` for accounts. */
@Injectable()
export class StorageMeter implements OnModuleInit {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly blobs: BlobStore,
    private readonly quotas: Quotas,
    private readonly storageUses: StorageUses,
  ) {}

  onModuleInit(): void {
    this.storageUses.keepIn({
      of: (userIds) => this.#measure(userIds),
      setQuota: (userId, quota) => this.quotas.set(userId, quota),
    });
  }

  async #measure(userIds: readonly string[]): Promise<Map<string, StorageUse>> {
    const used = await this.nodes.usedBytes(userIds);
    const quotas = [...(await this.quotas.list(userIds))].map(
      ([userId, quota]) => [userId, quota, this.quotas.inBytes(quota)] as const,
    );
    const diskBytes = quotas.some(([, , quotaBytes]) => quotaBytes === Infinity)
      ? await this.blobs.freeBytes()
      : Infinity;
    return new Map(
      quotas.map(([userId, quota, quotaBytes]) => {
        const usedBytes = used.get(userId) ?? 0;
        const isLimited = quotaBytes !== Infinity;
        const freeBytes = isLimited ? Math.max(0, quotaBytes - usedBytes) : diskBytes;
        return [userId, { usedBytes, freeBytes, quotaBytes: isLimited ? quotaBytes : null, quota }];
      }),
    );
  }
}
