import { Subject } from '../../../common/subjects/subject.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ItemsModule } from '../items/items.module.js';
import { FoldersController } from './folders.controller.js';
import { FoldersRepository } from './folders.repository.js';
import { FoldersService } from './folders.service.js';

/** Folders of users. */
@Subject({
  imports: [DeliveryModule, ItemsModule],
  controllers: [FoldersController],
  providers: [FoldersService, FoldersRepository],
  exports: [FoldersRepository, FoldersService],
})
export class FoldersModule {}
