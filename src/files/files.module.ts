import { Global, Module } from '@nestjs/common';
import { AuthModule } from '../common/auth/auth.module.js';
import { FileNodes } from '../common/ports/file-nodes.js';
import { ArchivesService } from './archives.service.js';
import { BlobSweep } from './blob-sweep.js';
import { ArchivesController } from './dav/archives.controller.js';
import { ContentController } from './dav/content.controller.js';
import { Listing } from './dav/listing.js';
import { LocksController } from './dav/locks.controller.js';
import { OtherVerbsController } from './dav/other-verbs.controller.js';
import { PiecewiseUploadsController } from './dav/piecewise-uploads.controller.js';
import { PreviewsController } from './dav/previews.controller.js';
import { PropertiesController } from './dav/properties.controller.js';
import { SearchController } from './dav/search.controller.js';
import { TreeController } from './dav/tree.controller.js';
import { FileChangesService } from './file-changes.service.js';
import { FileEvents } from './file-events.js';
import { FilesService } from './files.service.js';
import { LockCheck } from './lock-check.js';
import { LocksService } from './locks.service.js';
import { PiecewiseUploadsService } from './piecewise-uploads.service.js';
import { PreviewsService } from './previews.service.js';
import { RoomTaken } from './room-taken.js';
import { BlobStore } from './store/blob-store.js';
import { BlobsRepository } from './store/blobs.repository.js';
import { ContentFolder } from './store/content-folder.js';
import { InstallationRepository } from './store/installation.repository.js';
import { LocksRepository } from './store/locks.repository.js';
import { NodesRepository } from './store/nodes.repository.js';
import { PiecewiseUploadsRepository } from './store/piecewise-uploads.repository.js';
import { TreeRemovalsRepository } from './store/tree-removals.repository.js';
import { TreeLimits } from './tree-limits.js';
import { TreeRemovals } from './tree-removals.js';
import { UploadsService } from './uploads.service.js';

/** Files of users, over WebDAV. Exports the port that it answers. */
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
    // Takes the verbs that are left.
    OtherVerbsController,
  ],
  providers: [
    ArchivesService,
    BlobStore,
    BlobSweep,
    BlobsRepository,
    ContentFolder,
    FileChangesService,
    FileEvents,
    FilesService,
    InstallationRepository,
    Listing,
    LockCheck,
    LocksRepository,
    LocksService,
    NodesRepository,
    PiecewiseUploadsRepository,
    PiecewiseUploadsService,
    PreviewsService,
    RoomTaken,
    TreeLimits,
    TreeRemovals,
    TreeRemovalsRepository,
    UploadsService,
    { provide: FileNodes, useExisting: FilesService },
  ],
  exports: [FileNodes],
})
export class FilesModule {}
