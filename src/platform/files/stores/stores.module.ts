import { Subject } from '../../../common/subjects/subject.js';
import { ContentFolder } from './content-folder.service.js';
import { ContentMovesRepository } from './content-moves.repository.js';
import { ContentMoves } from './content-moves.service.js';
import { ContentStores } from './content-stores.service.js';
import { FolderStore } from './folder-store.service.js';
import { InstallationRepository } from './installation.repository.js';
import { StoreChecks } from './store.checks.js';
import { StoreMetrics } from './store.metrics.js';
import { registerStoreCommands } from './stores.commands.js';
import { StoresRepository } from './stores.repository.js';

/** Storage of contents: a folder or an object store. */
@Subject({
  providers: [
    ContentFolder,
    ContentMoves,
    ContentMovesRepository,
    ContentStores,
    FolderStore,
    InstallationRepository,
    StoreChecks,
    StoreMetrics,
    StoresRepository,
  ],
  exports: [ContentStores, InstallationRepository, StoresRepository],
  commands: [registerStoreCommands],
})
export class ContentStoresModule {}
