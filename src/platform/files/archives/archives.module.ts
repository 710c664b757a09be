import { Subject } from '../../../common/subjects/subject.js';
import { FileContentModule } from '../content/content.module.js';
import { WebDavModule } from '../dav/dav.module.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { ArchivesController } from './archives.controller.js';
import { ArchivesService } from './archives.service.js';

/** Folders as archives. */
@Subject({
  imports: [FileContentModule, FileTreeModule, WebDavModule],
  controllers: [ArchivesController],
  providers: [ArchivesService],
})
export class FileArchivesModule {}
