import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { StorageFull } from '../errors/storage-full.js';
import { Readiness } from '../health/readiness.js';
import { FreeSpaceProbe } from './free-space-probe.js';

/** The reserve is never more than this part of a disk. */
const LARGEST_RESERVE_SHARE = 0.05;

/** Below this part of the reserve the service is not ready: the database may fail next. */
const CRITICAL_SHARE = 0.25;

interface Measurement {
  /** What may be written before the reserve is touched; negative within the reserve. */
  readonly spareBytes: number;
  readonly isCritical: boolean;
}

const ENOUGH: Measurement = { spareBytes: Infinity, isCritical: false };

/**
 * Keeps a reserve of the disks that hold the data, so that the database can go on and users can
 * remove things when others have filled the rest.
 */
@Injectable()
export class DiskSpace {
  /** How long a measurement counts. */
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
    this.#reserveBytes = config.diskReserveMebibytes * 1024 * 1024;
    this.#folders = new Set([config.dataDir]);
    readiness.requires(() => this.#assertNotCritical(), 'disk space');
  }

  /** Also watches the disk that this folder is on. */
  watch(folder: string): void {
    this.#folders.add(folder);
  }

  /** Whether the reserve is in use, as of the latest measurement: for every piece of a body. */
  get isLow(): boolean {
    void this.#measure();
    return this.#known.spareBytes <= 0;
  }

  /** Whether the reserve is in use, at most a second ago. */
  async checkLow(): Promise<boolean> {
    return (await this.#measure()).spareBytes <= 0;
  }

  /**
   * @param bytes about to be written; 0 when unknown
   * @throws StorageFull when that would touch the reserve
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
    // What is not there yet is made later, on a disk that is watched already.
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
      this.#logger.log('The disk has room again.');
    }
  }
}
