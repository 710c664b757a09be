import { Subject } from '../../common/subjects/subject.js';
import { FileChangesModule } from './changes/changes.module.js';
import { FileContentModule } from './content/content.module.js';
import { WebDavModule } from './dav/dav.module.js';
import { FileLocksModule } from './locks/locks.module.js';
import { WebDavPropertiesModule } from './properties/properties.module.js';
import { FileQuotasModule } from './quotas/quotas.module.js';
import { ContentStoresModule } from './stores/stores.module.js';
import { FileTablesModule } from './tables/tables.module.js';
import { FilesTransferModule } from './transfer/transfer.module.js';
import { FileTreeModule } from './tree/tree.module.js';

/** Files of users over WebDAV; trash, previews, search, archives and uploads in pieces are a part of their own. */
@Subject({
  imports: [
    ContentStoresModule,
    FileChangesModule,
    FileContentModule,
    FileLocksModule,
    FileQuotasModule,
    FileTablesModule,
    FileTreeModule,
    FilesTransferModule,
    WebDavModule,
    WebDavPropertiesModule,
  ],
  edgeRules: [
    // WebDAV: files of any size, and XML that its controllers parse.
    { path: /^\/remote\.php\//i, rawBody: true, slowBody: (method) => method === 'PUT' },
  ],
})
export class FilesModule {}
