import { Subject } from '../../common/subjects/subject.js';
import { ArticleAssistanceEntity } from './article-assistance.entity.js';
import {
  ArticleBodyEntity,
  ArticleEntity,
  ArticleTombstoneEntity,
  SourceDocumentEntity,
} from './article.entity.js';
import {
  AutomaticChoiceEntity,
  AutomaticPauseEntity,
  AutomaticReaderEntity,
} from './automation.entity.js';
import { FailedDocumentEntity, FetchAttemptEntity } from './fetch-history.entity.js';
import { FolderEntity } from './folder.entity.js';
import { FullTextPageEntity, FullTextSourceEntity } from './full-text.entity.js';
import { IconEntity, IconPlaceEntity } from './icon.entity.js';
import { ItemEntity } from './item.entity.js';
import { NewsEventEntity, NewsEventWishEntity } from './news-event.entity.js';
import {
  LateDeliveryEntity,
  ReaderClientEntity,
  ReaderEntity,
  ReaderUserEntity,
} from './reader.entity.js';
import { HostStateEntity, SourceScheduleEntity } from './schedule.entity.js';
import { HousekeepingEntity, RemovedSourceEntity, SourceEntity } from './source.entity.js';
import {
  FormerSourceEntity,
  SubscriptionEntity,
  SubscriptionFilterEntity,
} from './subscription.entity.js';
import { WebsubLeaseEntity } from './websub-lease.entity.js';

/** The data model of the feed reader, which all its subjects read. */
@Subject({
  entities: [
    ArticleAssistanceEntity,
    ArticleBodyEntity,
    ArticleEntity,
    ArticleTombstoneEntity,
    AutomaticChoiceEntity,
    AutomaticPauseEntity,
    AutomaticReaderEntity,
    FailedDocumentEntity,
    FetchAttemptEntity,
    FolderEntity,
    FormerSourceEntity,
    FullTextPageEntity,
    FullTextSourceEntity,
    HostStateEntity,
    HousekeepingEntity,
    IconEntity,
    IconPlaceEntity,
    ItemEntity,
    LateDeliveryEntity,
    NewsEventEntity,
    NewsEventWishEntity,
    ReaderClientEntity,
    ReaderEntity,
    ReaderUserEntity,
    RemovedSourceEntity,
    SourceDocumentEntity,
    SourceEntity,
    SourceScheduleEntity,
    SubscriptionEntity,
    SubscriptionFilterEntity,
    WebsubLeaseEntity,
  ],
})
export class NewsTablesModule {}
