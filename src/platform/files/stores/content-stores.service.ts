import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Readiness } from '../../../common/health/readiness.js';
import { SilentServers } from '../../../common/http/silent-servers.js';
import { ContentStoreAway } from '../files.errors.js';
import type { ContentStore } from './content-store.js';
import { FolderStore } from './folder-store.service.js';
import { ObjectStore } from './object-store.js';
import { StoreMetrics } from './store.metrics.js';
import { StoresRepository } from './stores.repository.js';
import { StoreSettings, type BucketSettings } from './stores.settings.js';

/** Locations of file contents: the folder, and the object stores of the settings. */
@Injectable()
export class ContentStores implements BeforeApplicationShutdown {
  /** Store for new contents. */
  readonly current: ContentStore;
  readonly objects: readonly ObjectStore[];
  readonly #logger = new Logger('Files');
  #hasWarned = false;

  constructor(
    readonly folder: FolderStore,
    { limits }: Config,
    settings: StoreSettings,
    private readonly repository: StoresRepository,
    metrics: StoreMetrics,
    readiness: Readiness,
    servers: SilentServers,
  ) {
    const { filesStore, filesFormerStore } = settings;
    const uploads = limits['store-uploads-per-process'];
    const connect = (bucket: BucketSettings) =>
      new ObjectStore(bucket, settings, uploads, repository, metrics, servers);
    const current = filesStore === 'folder' ? undefined : connect(filesStore);
    const former = filesFormerStore && connect(filesFormerStore);
    this.current = current ?? folder;
    this.objects = [current, former].filter((store) => store !== undefined);
    if (current !== undefined) {
      readiness.requires(() => current.check(), 'store of files');
    }
  }

  /** The store that has the content. @throws ContentStoreAway when it is not in the settings */
  async of(blobId: string): Promise<ContentStore> {
    return this.objects.length === 0
      ? this.folder
      : this.withId(await this.repository.placeOf(blobId));
  }

  /** The current store of content that was not found: it may have been moved since. */
  async ofMissing(blobId: string): Promise<ContentStore> {
    return this.withId(await this.repository.placeOf(blobId));
  }

  /** @param id null for the folder. @throws ContentStoreAway when it is not in the settings */
  async withId(id: string | null): Promise<ContentStore> {
    if (id === null) {
      return this.folder;
    }
    const store = (await this.#withIds()).get(id);
    if (store === undefined) {
      this.#warn();
      throw new ContentStoreAway();
    }
    return store;
  }

  /** Ids of the reachable object stores. */
  async reachable(): Promise<string[]> {
    return [...(await this.#withIds()).keys()];
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.objects.map((store) => store.close()));
  }

  async #withIds(): Promise<Map<string, ObjectStore>> {
    const known = await Promise.all(
      this.objects.map((store) =>
        store.id().then(
          (id) => [[id, store] as const],
          () => [],
        ),
      ),
    );
    return new Map(known.flat());
  }

  #warn(): void {
    if (!this.#hasWarned) {
      this.#logger.error(
        'Some contents of files are in an object store that is not in the settings, or cannot be reached. Set GATEFOLD_FILES_STORE or GATEFOLD_FILES_FORMER_STORE.',
      );
    }
    this.#hasWarned = true;
  }
}
