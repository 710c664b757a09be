import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { StorageFull } from '../errors/storage-full.js';
import { Readiness } from '../health/readiness.js';
import { FreeSpaceProbe } from './free-space-probe.js';

/** Maximum share of a disk. */
const LARGEST_RESERVE_SHARE = 0.05;

/** Share of the reserve below which the service is not ready. */
const CRITICAL_SHARE = 0.25;

interface Measurement {
  /** Free bytes above the reserve; negative within it. */
  readonly spareBytes: number;
  readonly isCritical: boolean;
}

const ENOUGH: Measurement = { spareBytes: Infinity, isCritical: false };

/**
 * Keeps a reserve on the disks with data, so that on a full disk the database still runs and users
 * can delete files.
 */
@Injectable()
export class DiskSpace {
  /** Cache time of a measurement. */
  cachedMs = 1000;

  readonly #logger = new Logger('Disk');
  readonly #reserveBytes: number;
  readonly #folders: Set<string>;
  #latest: Promise<Measurement> = Promise.resolve(ENOUGH);
  #known = ENOUGH;
  #measuredAt = -Infinity;

  constructor(
    config: Config,
    private readonly probe: FreeSpaceProbe,
    readiness: Readiness,
  ) {
    this.#reserveBytes = config.diskReserveMib * 1024 * 1024;
    this.#folders = new Set([config.dataDir]);
    readiness.requires(() => this.#assertNotCritical(), 'disk space');
  }

  /** Folders whose disks are watched. */
  get folders(): Iterable<string> {
    return this.#folders;
  }

  /** Adds the disk of this folder. */
  watch(folder: string): void {
    this.#folders.add(folder);
  }

  /**
   * Whether the reserve is in use, by the latest measurement. Cheap enough for every chunk of a
   * body.
   */
  get isLow(): boolean {
    void this.#measure();
    return this.#known.spareBytes <= 0;
  }

  /** Whether the reserve is in use, measured at most a second ago. */
  async checkLow(): Promise<boolean> {
    return (await this.#measure()).spareBytes <= 0;
  }

  /** Free bytes above the reserve, negative within it; `Infinity` without a reserve. */
  async spareBytes(): Promise<number> {
    return (await this.#measure()).spareBytes;
  }

  /**
   * @param bytes about to be written; 0 when unknown
   * @throws StorageFull if that would use the reserve
   */
  async assertRoomFor(bytes: number): Promise<void> {
    const { spareBytes } = await this.#measure();
    if (spareBytes <= 0 || bytes > spareBytes) {
      throw new StorageFull();
    }
  }

  async #assertNotCritical(): Promise<void> {
    if ((await this.#measure()).isCritical) {
      throw new StorageFull();
    }
  }

  #measure(): Promise<Measurement> {
    if (performance.now() - this.#measuredAt >= this.cachedMs) {
      this.#measuredAt = performance.now();
      this.#latest = this.#measureNow();
    }
    return this.#latest;
  }

  async #measureNow(): Promise<Measurement> {
    if (this.#reserveBytes === 0) {
      return ENOUGH;
    }
    const disks = await Promise.all([...this.#folders].map((folder) => this.#measureDisk(folder)));
    const measured = {
      spareBytes: Math.min(...disks.map(({ spareBytes }) => spareBytes)),
      isCritical: disks.some(({ isCritical }) => isCritical),
    };
    this.#log(measured);
    this.#known = measured;
    return measured;
  }

  async #measureDisk(folder: string): Promise<Measurement> {
    // A missing folder is created later, on a disk that is watched already.
    const space = await this.probe.measure(folder).catch(() => null);
    if (space === null) {
      return ENOUGH;
    }
    const reserveBytes = Math.min(this.#reserveBytes, space.totalBytes * LARGEST_RESERVE_SHARE);
    return {
      spareBytes: space.freeBytes - reserveBytes,
      isCritical: space.freeBytes < reserveBytes * CRITICAL_SHARE,
    };
  }

  #log({ spareBytes }: Measurement): void {
    const wasLow = this.#known.spareBytes <= 0;
    if (spareBytes <= 0 && !wasLow) {
      this.#logger.error(
        'The disk is nearly full. Uploads are refused and feeds are not fetched until there is ' +
          'room: remove files, or set GATEFOLD_DISK_RESERVE_MIB.',
      );
    }
    if (spareBytes > 0 && wasLow) {
      this.#logger.log('The disk has enough free space again.');
    }
  }
}
