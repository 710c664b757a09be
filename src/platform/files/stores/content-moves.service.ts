import { Injectable } from '@nestjs/common';
import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { CommandRefused } from '../../../common/command-line/command-refused.js';
import { ContentMovesRepository, type MisplacedContent } from './content-moves.repository.js';
import type { ContentStore } from './content-store.js';
import { ContentStores } from './content-stores.service.js';
import { StoresRepository } from './stores.repository.js';
import { readFilesStore } from './stores.settings.js';

const BATCH = 200;

/** Exceeds the time to copy one content. */
const LONGEST_COPY_SECONDS = 24 * 3600;

interface MoveOptions {
  /** Time for which the old bytes are kept. */
  readonly keepSeconds: number;
  /** Copies at the same time. */
  readonly parallel: number;
  /** Called after each content. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Ends the move after the contents that are being copied. */
  readonly signal?: AbortSignal;
}

export interface Moved {
  readonly contents: number;
  readonly bytes: number;
  /** Errors of unmoved contents, by id. */
  readonly failures: ReadonlyMap<string, string>;
  /** Contents that are not in the store yet, including failed ones. */
  readonly left: number;
}

/**
 * Moves contents to the store of the settings while the service runs. Each is copied, read back,
 * compared, and then switched by a row; until then it is read from the old store. A move that was
 * interrupted is continued by another one.
 */
@Injectable()
export class ContentMoves {
  constructor(
    private readonly stores: ContentStores,
    private readonly places: StoresRepository,
    private readonly repository: ContentMovesRepository,
  ) {}

  /** @param address as in the settings. @throws CommandRefused when it is not the store of the settings */
  assertIsCurrent(address: string): void {
    const { current, folder } = this.stores;
    const isCurrent =
      address === 'folder' ? current === folder : current.place === addressOf(address);
    if (!isCurrent) {
      throw new CommandRefused(
        `The service stores new contents in ${current.place}. Set GATEFOLD_FILES_STORE to ${shown(address)} for ` +
          'the service and for this command, restart the service, and move the contents then.',
      );
    }
  }

  /** @throws ContentStoreAway, ContentFolderMissing; CommandRefused while another process moves */
  async move(options: MoveOptions): Promise<Moved> {
    const target = this.stores.current;
    await target.assertPresent();
    const moved = await this.repository.alone(() => this.#moveAll(target, options));
    if (moved === null) {
      throw new CommandRefused('Another process moves contents already.');
    }
    return moved;
  }

  async #moveAll(target: ContentStore, options: MoveOptions): Promise<Moved> {
    const targetId = await target.id();
    const { contents: total } = await this.repository.count(targetId);
    const failures = new Map<string, string>();
    let [contents, bytes, done] = [0, 0, 0];
    const moveNext = async (queue: MisplacedContent[]): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (options.signal?.aborted) {
          return;
        }
        try {
          const size = await this.#moveOne(next, target, options.keepSeconds);
          contents += size === null ? 0 : 1;
          bytes += size ?? 0;
        } catch (error) {
          failures.set(next.blobId, (error as Error).message);
        }
        done += 1;
        options.onProgress?.(done, total);
      }
    };
    for await (const batch of this.repository.misplaced(targetId, BATCH)) {
      const queue = [...batch];
      await Promise.all(Array.from({ length: options.parallel }, () => moveNext(queue)));
      if (options.signal?.aborted) {
        break;
      }
    }
    const { contents: left } = await this.repository.count(targetId);
    return { contents, bytes, failures, left };
  }

  /** @returns its size; null when it was deleted concurrently */
  async #moveOne(
    { blobId, storeId, checksum, sizeBytes }: MisplacedContent,
    target: ContentStore,
    keepSeconds: number,
  ): Promise<number | null> {
    const targetId = await target.id();
    const source = await (await this.stores.withId(storeId)).open(blobId);
    if (source === null) {
      if (await this.repository.isStill(blobId, storeId)) {
        throw new Error('it is missing in its store');
      }
      return null;
    }
    await this.places.expect(blobId, targetId, LONGEST_COPY_SECONDS);
    try {
      const [sha1, sha256] = [createHash('sha1'), createHash('sha256')];
      const counted = { bytes: 0 };
      const copy = Readable.from(hashing(source, [sha1, sha256], counted), { objectMode: false });
      await target.write(blobId, copy, sizeBytes ?? 0);
      const digest = `SHA1:${sha1.digest('hex')}`;
      if (checksum?.startsWith('SHA1:') && checksum !== digest) {
        await target.discard(blobId);
        throw new Error('it is damaged: its checksum is not that of its upload');
      }
      await target.settle(blobId);
      if ((await hashOf(target, blobId)) !== sha256.digest('hex')) {
        throw new Error('its copy is not the same');
      }
      if (await this.repository.switch(blobId, storeId, targetId, keepSeconds)) {
        return counted.bytes;
      }
    } catch (error) {
      await this.places.expect(blobId, targetId, 0);
      throw error;
    }
    await this.places.expect(blobId, targetId, 0);
    return null;
  }
}

/** @throws CommandRefused when it cannot be read */
function addressOf(text: string): string {
  try {
    const store = readFilesStore(text);
    return store === 'folder' ? store : store.address;
  } catch (error) {
    throw new CommandRefused(`The store ${(error as Error).message}.`);
  }
}

/** The address without parameters. */
function shown(address: string): string {
  return address.replace(/\?.*$/, '');
}

async function* hashing(
  source: Readable,
  hashes: readonly Hash[],
  counted: { bytes: number },
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    counted.bytes += chunk.length;
    for (const hash of hashes) {
      hash.update(chunk);
    }
    yield chunk;
  }
}

async function hashOf(store: ContentStore, blobId: string): Promise<string> {
  const hash = createHash('sha256');
  const content = (await store.open(blobId)) ?? Readable.from([]);
  for await (const chunk of content as AsyncIterable<Buffer>) {
    hash.update(chunk);
  }
  return hash.digest('hex');
}
