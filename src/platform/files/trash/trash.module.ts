import { Subject } from '../../../common/subjects/subject.js';
import { FileChangesModule } from '../changes/changes.module.js';
import { FileLocksModule } from '../locks/locks.module.js';
import { WebDavPropertiesModule } from '../properties/properties.module.js';
import { FileQuotasModule } from '../quotas/quotas.module.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { TrashSweep } from './trash-sweep.task.js';
import { Trash } from './trash-trees.service.js';
import { TrashController } from './trash.controller.js';
import { TrashRepository } from './trash.repository.js';
import { TrashService } from './trash.service.js';

/** Removed files. */
@Subject({
  imports: [
    FileChangesModule,
    FileLocksModule,
    FileQuotasModule,
    FileTreeModule,
    WebDavPropertiesModule,
  ],
  controllers: [TrashController],
  providers: [Trash, TrashRepository, TrashService, TrashSweep],
})
export class TrashModule {}
