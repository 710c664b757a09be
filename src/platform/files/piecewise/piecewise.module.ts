import { Subject } from '../../../common/subjects/subject.js';
import { FileChangesModule } from '../changes/changes.module.js';
import { FileContentModule } from '../content/content.module.js';
import { WebDavPropertiesModule } from '../properties/properties.module.js';
import { FileQuotasModule } from '../quotas/quotas.module.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { PiecewiseUploadsController } from './piecewise-uploads.controller.js';
import { PiecewiseUploadsRepository } from './piecewise-uploads.repository.js';
import { PiecewiseUploadsService } from './piecewise-uploads.service.js';

/** Uploads in pieces. */
@Subject({
  imports: [
    FileChangesModule,
    FileContentModule,
    FileQuotasModule,
    FileTreeModule,
    WebDavPropertiesModule,
  ],
  controllers: [PiecewiseUploadsController],
  providers: [PiecewiseUploadsRepository, PiecewiseUploadsService],
})
export class PiecewiseUploadsModule {}
