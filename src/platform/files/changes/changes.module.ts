import { Subject } from '../../../common/subjects/subject.js';
import { FileContentModule } from '../content/content.module.js';
import { FileLocksModule } from '../locks/locks.module.js';
import { FileQuotasModule } from '../quotas/quotas.module.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { FileChangesService, TrashOffer } from './file-changes.service.js';
import { UploadsService } from './uploads.service.js';

@Subject({
  imports: [FileContentModule, FileLocksModule, FileQuotasModule, FileTreeModule],
  providers: [FileChangesService, TrashOffer, UploadsService],
  exports: [FileChangesService, TrashOffer, UploadsService],
})
export class FileChangesModule {}
