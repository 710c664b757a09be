import { Subject } from '../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../platform/accounts/security/security.module.js';
import { NotificationsModule } from '../../platform/notifications/notifications.module.js';
import { ThrottleModule } from '../../platform/sign-in/throttle/throttle.module.js';
import { GroupFoldersModule } from '../group-folders/group-folders.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { NoticesModule } from '../reader/notices/notices.module.js';
import { ArticlesModule } from '../sources/articles/articles.module.js';
import { FeedFetchModule } from '../sources/fetch/fetch.module.js';
import { BoardDigestsRepository } from './board-digests.repository.js';
import { BoardDigestsService } from './board-digests.service.js';
import { BoardDigests } from './board-digests.task.js';
import { BoardEntriesService } from './board-entries.service.js';
import { BoardTelling } from './board-telling.task.js';
import {
  BoardRefusalsController,
  BoardTellingV13Controller,
} from './board-telling.v1-3.controller.js';
import { BoardWebhooksRepository } from './board-webhooks.repository.js';
import { BoardWebhooksService } from './board-webhooks.service.js';
import { BoardsRepository } from './boards.repository.js';
import { BoardsService } from './boards.service.js';
import { BoardsV13Controller } from './boards.v1-3.controller.js';

/** Boards of groups, to which each member adds articles. */
@Subject({
  imports: [
    ArticlesModule,
    DeliveryModule,
    FeedFetchModule,
    GroupFoldersModule,
    NoticesModule,
    NotificationsModule,
    SecurityEventsModule,
    ThrottleModule,
  ],
  controllers: [BoardRefusalsController, BoardTellingV13Controller, BoardsV13Controller],
  providers: [
    BoardDigests,
    BoardDigestsRepository,
    BoardDigestsService,
    BoardEntriesService,
    BoardTelling,
    BoardWebhooksRepository,
    BoardWebhooksService,
    BoardsRepository,
    BoardsService,
  ],
})
export class BoardsModule {}
