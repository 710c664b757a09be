import { Subject } from '../../../common/subjects/subject.js';
import { FileContentModule } from '../content/content.module.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { PictureResizer } from './picture-resizer.service.js';
import { PreviewCache } from './preview-cache.service.js';
import { PreviewsController } from './previews.controller.js';
import { PreviewsService } from './previews.service.js';

@Subject({
  imports: [FileContentModule, FileTreeModule],
  controllers: [PreviewsController],
  providers: [PictureResizer, PreviewCache, PreviewsService],
})
export class FilePreviewsModule {}
