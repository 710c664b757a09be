import { Injectable } from '@nestjs/common';
import { statfs } from 'node:fs/promises';

interface FreeSpace {
  /** Bytes that this process may still write. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

@Injectable()
export class FreeSpaceProbe {
  /** @throws Error when the folder does not exist */
  async measure(folder: string): Promise<FreeSpace> {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }
}
