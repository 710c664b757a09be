import { Subject } from '../../../common/subjects/subject.js';
import { FileLocksModule } from '../locks/locks.module.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { Listing } from './listing.service.js';

/** Properties of files in WebDAV. */
@Subject({
  imports: [FileLocksModule, FileTreeModule],
  providers: [Listing],
  exports: [Listing],
})
export class WebDavPropertiesModule {}
