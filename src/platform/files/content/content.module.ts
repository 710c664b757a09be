import { Subject } from '../../../common/subjects/subject.js';
import { ContentStoresModule } from '../stores/stores.module.js';
import { BackupContentsService } from './backup-contents.service.js';
import { BlobStore } from './blob-store.service.js';
import { BlobSweep } from './blob-sweep.task.js';
import { BlobsRepository } from './blobs.repository.js';
import { QuotaClaims } from './quota-claims.service.js';

/** Contents of files, stored once. */
@Subject({
  imports: [ContentStoresModule],
  providers: [BlobStore, BlobSweep, BlobsRepository, QuotaClaims, BackupContentsService],
  exports: [BlobStore, BlobSweep, QuotaClaims],
})
export class FileContentModule {}
