import { ArticleEntity } from './sources/articles/article.entity.js';
import { AutomaticChoiceEntity } from './assistance/automation/automatic-choice.entity.js';
import { AutomaticPauseEntity } from './assistance/automation/automatic-pause.entity.js';
import { AutomaticReaderEntity } from './assistance/automation/automatic-reader.entity.js';
import { ArticleAssistanceEntity } from './assistance/article-assistance.entity.js';
import { ArticleBodyEntity } from './sources/articles/article-body.entity.js';
import { ArticleSearchEntity } from './reader/search/article-search.entity.js';
import { ArticleTombstoneEntity } from './sources/articles/article-tombstone.entity.js';
import { FailedDocumentEntity } from './sources/history/failed-document.entity.js';
import { FetchAttemptEntity } from './sources/history/fetch-attempt.entity.js';
import { FolderEntity } from './reader/folders/folder.entity.js';
import { FullTextPageEntity } from './sources/full-text/full-text-page.entity.js';
import { FullTextSourceEntity } from './sources/full-text/full-text-source.entity.js';
import { HostStateEntity } from './sources/schedule/host-state.entity.js';
import { HousekeepingEntity } from './updater/housekeeping.entity.js';
import { IconEntity } from './sources/favicons/icon.entity.js';
import { IconPlaceEntity } from './sources/favicons/icon-place.entity.js';
import { ItemEntity } from './reader/items/item.entity.js';
import { ItemLabelEntity } from './reader/labels/item-label.entity.js';
import { LabelEntity } from './reader/labels/label.entity.js';
import { LateDeliveryEntity } from './reader/delivery/late-delivery.entity.js';
import { NewsEventEntity } from './reader/events/news-event.entity.js';
import { NewsEventWishEntity } from './reader/events/news-event-wish.entity.js';
import { PlaybackPositionEntity } from './article/playback/playback-position.entity.js';
import { ReaderEntity } from './reader/delivery/reader.entity.js';
import { ReaderClientEntity } from './reader/delivery/reader-client.entity.js';
import { ReaderUserEntity } from './reader/delivery/reader-user.entity.js';
import { SourceEntity } from './sources/source.entity.js';
import { RemovedSourceEntity } from './sources/removed-source.entity.js';
import { SourceDocumentEntity } from './sources/articles/source-document.entity.js';
import { SourceScheduleEntity } from './sources/schedule/source-schedule.entity.js';
import { FormerSourceEntity } from './reader/feeds/former-source.entity.js';
import { SubscriptionEntity } from './reader/feeds/subscription.entity.js';
import { SubscriptionFilterEntity } from './reader/filters/subscription-filter.entity.js';
import { WebsubLeaseEntity } from './sources/websub/websub-lease.entity.js';

/** Every table that this room owns. */
export const NEWS_ENTITIES = [
  ArticleEntity,
  ArticleAssistanceEntity,
  ArticleBodyEntity,
  ArticleSearchEntity,
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
  ItemLabelEntity,
  LabelEntity,
  LateDeliveryEntity,
  NewsEventEntity,
  NewsEventWishEntity,
  PlaybackPositionEntity,
  ReaderEntity,
  ReaderClientEntity,
  ReaderUserEntity,
  SourceEntity,
  RemovedSourceEntity,
  SourceDocumentEntity,
  SourceScheduleEntity,
  SubscriptionEntity,
  SubscriptionFilterEntity,
  WebsubLeaseEntity,
];
