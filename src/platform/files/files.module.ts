import { Global, Module } from '@nestjs/common';
import { AuthModule } from '../../common/auth/auth.module.js';
import { BackupContents } from '../../common/ports/backup-contents.js';
import { FileContents } from '../../common/ports/file-contents.js';
import { FileNodes } from '../../common/ports/file-nodes.js';
import { ArchivesController } from './archives/archives.controller.js';
import { ArchivesService } from './archives/archives.service.js';
import { BackupContentsService } from './content/backup-contents.service.js';
import { BlobStore } from './content/blob-store.js';
import { BlobSweep } from './content/blob-sweep.js';
import { BlobsRepository } from './content/blobs.repository.js';
import { ContentFolder } from './content/content-folder.js';
import { ContentController } from './content/content.controller.js';
import { FileContentsService } from './content/file-contents.service.js';
import { ContentService } from './content/content.service.js';
import { QuotaClaims } from './content/quota-claims.js';
import { UploadsService } from './content/uploads.service.js';
import { OtherVerbsController } from './dav/other-verbs.controller.js';
import { InstallationRepository } from './installation/installation.repository.js';
import { LockCheck } from './locks/lock-check.js';
import { LocksController } from './locks/locks.controller.js';
import { LocksRepository } from './locks/locks.repository.js';
import { LocksService } from './locks/locks.service.js';
import { PiecewiseUploadsController } from './piecewise/piecewise-uploads.controller.js';
import { PiecewiseUploadsRepository } from './piecewise/piecewise-uploads.repository.js';
import { PiecewiseUploadsService } from './piecewise/piecewise-uploads.service.js';
import { PictureResizer } from './previews/picture-resizer.js';
import { PreviewCache } from './previews/preview-cache.js';
import { PreviewsController } from './previews/previews.controller.js';
import { PreviewsService } from './previews/previews.service.js';
import { Listing } from './properties/listing.js';
import { PropertiesController } from './properties/properties.controller.js';
import { Quotas } from './quotas/quotas.js';
import { QuotasRepository } from './quotas/quotas.repository.js';
import { StorageMeter } from './quotas/storage-meter.js';
import { SearchController } from './search/search.controller.js';
import { SearchRepository } from './search/search.repository.js';
import { SearchService } from './search/search.service.js';
import { ContentMovesRepository } from './stores/content-moves.repository.js';
import { ContentMoves } from './stores/content-moves.service.js';
import { ContentStores } from './stores/content-stores.js';
import { FolderStore } from './stores/folder-store.js';
import { StoreChecks } from './stores/store-checks.js';
import { StoreMetrics } from './stores/store-metrics.js';
import { StoresRepository } from './stores/stores.repository.js';
import { TrashController } from './trash/trash.controller.js';
import { Trash } from './trash/trash.js';
import { TrashRepository } from './trash/trash.repository.js';
import { TrashService } from './trash/trash.service.js';
import { TrashSweep } from './trash/trash-sweep.js';
import { FileChangesService } from './tree/file-changes.service.js';
import { FileEvents } from './tree/file-events.js';
import { FilesService } from './tree/files.service.js';
import { NodesRepository } from './tree/nodes.repository.js';
import { TreeLimits } from './tree/tree-limits.js';
import { TreeRemovals } from './tree/tree-removals.js';
import { TreeRemovalsRepository } from './tree/tree-removals.repository.js';
import { TreeController } from './tree/tree.controller.js';

/** Users' files over WebDAV. Exports the ports `FileNodes`, `FileContents` and `BackupContents`. */
@Global()
@Module({
  imports: [AuthModule],
  controllers: [
    ArchivesController,
    ContentController,
    TreeController,
    PropertiesController,
    LocksController,
    SearchController,
    PreviewsController,
    PiecewiseUploadsController,
    TrashController,
    // Last: it matches every verb.
    OtherVerbsController,
  ],
  providers: [
    ArchivesService,
    BlobStore,
    BlobSweep,
    BlobsRepository,
    ContentFolder,
    ContentMoves,
    ContentMovesRepository,
    ContentService,
    ContentStores,
    FileChangesService,
    FileEvents,
    FilesService,
    FolderStore,
    InstallationRepository,
    Listing,
    LockCheck,
    LocksRepository,
    LocksService,
    NodesRepository,
    PiecewiseUploadsRepository,
    PiecewiseUploadsService,
    PictureResizer,
    PreviewCache,
    PreviewsService,
    QuotaClaims,
    Quotas,
    QuotasRepository,
    SearchRepository,
    SearchService,
    StorageMeter,
    StoreChecks,
    StoreMetrics,
    StoresRepository,
    Trash,
    TrashRepository,
    TrashService,
    TrashSweep,
    TreeLimits,
    TreeRemovals,
    TreeRemovalsRepository,
    UploadsService,
    { provide: FileNodes, useExisting: FilesService },
    FileContentsService,
    BackupContentsService,
    { provide: BackupContents, useExisting: BackupContentsService },
    { provide: FileContents, useExisting: FileContentsService },
  ],
  exports: [BackupContents, FileContents, FileNodes],
})
export class FilesModule {}
