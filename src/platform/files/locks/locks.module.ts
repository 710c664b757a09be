import { Subject } from '../../../common/subjects/subject.js';
import { FileLockEntity } from './file-lock.entity.js';
import { LockCheck } from './lock-check.js';
import { LocksRepository } from './locks.repository.js';
import { LocksService } from './locks.service.js';
import { FileTreeModule } from '../tree/tree.module.js';

/** Locks on files. */
@Subject({
  imports: [FileTreeModule],
  providers: [LockCheck, LocksRepository, LocksService],
  exports: [LockCheck, LocksRepository, LocksService],
  entities: [FileLockEntity],
})
export class FileLocksModule {}
