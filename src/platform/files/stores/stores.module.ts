import { Subject } from '../../../common/subjects/subject.js';
import { FilesInstallationModule } from '../installation/installation.module.js';
import { ContentFolder } from './content-folder.js';
import { ContentMovesRepository } from './content-moves.repository.js';
import { ContentMoves } from './content-moves.service.js';
import { ContentStores } from './content-stores.js';
import { FileBlobLeftoverEntity } from './file-blob-leftover.entity.js';
import { FileBlobPlaceEntity } from './file-blob-place.entity.js';
import { FileStoreEntity } from './file-store.entity.js';
import { FolderStore } from './folder-store.js';
import { StoreChecks } from './store-checks.js';
import { StoreMetrics } from './store-metrics.js';
import { registerStoreCommands } from './stores.commands.js';
import { StoresRepository } from './stores.repository.js';

/** Where contents are stored: a folder or an object store. */
@Subject({
  imports: [FilesInstallationModule],
  providers: [
    ContentFolder,
    ContentMoves,
    ContentMovesRepository,
    ContentStores,
    FolderStore,
    StoreChecks,
    StoreMetrics,
    StoresRepository,
  ],
  exports: [ContentStores, StoresRepository],
  entities: [FileBlobLeftoverEntity, FileBlobPlaceEntity, FileStoreEntity],
  commands: [registerStoreCommands],
})
export class ContentStoresModule {}
