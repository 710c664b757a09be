import { Subject } from '../../../common/subjects/subject.js';
import { FileTreeModule } from '../tree/tree.module.js';
import { LockCheck } from './lock-check.service.js';
import { FileLockEntity, LocksRepository } from './locks.repository.js';
import { LocksService } from './locks.service.js';

@Subject({
  imports: [FileTreeModule],
  providers: [LockCheck, LocksRepository, LocksService],
  exports: [LockCheck, LocksRepository, LocksService],
  entities: [FileLockEntity],
})
export class FileLocksModule {}
