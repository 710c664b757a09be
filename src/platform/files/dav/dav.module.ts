import { Subject } from '../../../common/subjects/subject.js';
import { FileChangesModule } from '../changes/changes.module.js';
import { FileContentModule } from '../content/content.module.js';
import { FileLocksModule } from '../locks/locks.module.js';
import { WebDavPropertiesModule } from '../properties/properties.module.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { LocksController } from './locks.controller.js';
import { PropertiesController } from './properties.controller.js';
import { ArchivesOffer } from './send-content.js';
import { TreeController } from './tree.controller.js';

/** WebDAV: the methods on files and folders. */
@Subject({
  imports: [
    FileChangesModule,
    FileContentModule,
    FileLocksModule,
    FileTreeModule,
    WebDavPropertiesModule,
  ],
  controllers: [TreeController, PropertiesController, LocksController],
  providers: [ArchivesOffer],
  exports: [ArchivesOffer],
})
export class WebDavModule {}
