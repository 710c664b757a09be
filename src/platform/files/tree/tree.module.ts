import { FileContentsOffer } from '../../../common/ports/file-contents.js';
import { FileNodesOffer } from '../../../common/ports/file-nodes.js';
import { Subject, offered } from '../../../common/subjects/subject.js';
import { FileContentModule } from '../content/content.module.js';
import { FileQuotasModule } from '../quotas/quotas.module.js';
import { ContentStoresModule } from '../stores/stores.module.js';
import { FileContentsService } from './file-contents.service.js';
import { FileEvents } from './file-events.service.js';
import { FilesService } from './files.service.js';
import { NodesRepository } from './nodes.repository.js';
import { StorageMeter } from './storage-meter.service.js';
import { TreeLimits } from './tree-limits.service.js';
import { TreeRemovalsRepository } from './tree-removals.repository.js';
import { TreeRemovals } from './tree-removals.task.js';

/** Folders and files of users. */
@Subject({
  imports: [FileContentModule, FileQuotasModule, ContentStoresModule],
  providers: [
    FileEvents,
    FilesService,
    NodesRepository,
    StorageMeter,
    TreeLimits,
    TreeRemovals,
    TreeRemovalsRepository,
    FileContentsService,
    offered(FileNodesOffer, FilesService),
    offered(FileContentsOffer, FileContentsService),
  ],
  exports: [FileEvents, FilesService, NodesRepository, TreeLimits, TreeRemovals],
})
export class FileTreeModule {}
