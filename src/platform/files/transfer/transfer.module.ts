import { Subject } from '../../../common/subjects/subject.js';
import { FileChangesModule } from '../changes/changes.module.js';
import { FileContentModule } from '../content/content.module.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { FilesPart } from './files-part.service.js';

/** Files in archives of accounts. */
@Subject({
  imports: [FileChangesModule, FileContentModule, FileTreeModule],
  providers: [FilesPart],
})
export class FilesTransferModule {}
