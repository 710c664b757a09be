import { Subject } from '../../common/subjects/subject.js';
import { GroupFoldersModule } from '../group-folders/group-folders.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { ArticlesModule } from '../sources/articles/articles.module.js';
import { FeedFetchModule } from '../sources/fetch/fetch.module.js';
import { BoardEntriesService } from './board-entries.service.js';
import { BoardsRepository } from './boards.repository.js';
import { BoardsService } from './boards.service.js';
import { BoardsV13Controller } from './boards.v1-3.controller.js';

/** Boards of groups, to which each member adds articles. */
@Subject({
  imports: [ArticlesModule, DeliveryModule, FeedFetchModule, GroupFoldersModule],
  controllers: [BoardsV13Controller],
  providers: [BoardEntriesService, BoardsRepository, BoardsService],
})
export class BoardsModule {}
