import { Subject } from '../../../common/subjects/subject.js';
import { WebDavPropertiesModule } from '../properties/properties.module.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { SearchController } from './search.controller.js';
import { SearchRepository } from './search.repository.js';
import { SearchService } from './search.service.js';

/** Search for files over WebDAV. */
@Subject({
  imports: [FileTreeModule, WebDavPropertiesModule],
  controllers: [SearchController],
  providers: [SearchRepository, SearchService],
})
export class FilesSearchModule {}
