import { Subject } from '../../common/subjects/subject.js';
import { TransferModule } from '../../platform/transfer/transfer.module.js';
import { ImportsModule } from '../imports/imports.module.js';
import { OpmlModule } from '../opml/opml.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { FiltersModule } from '../reader/filters/filters.module.js';
import { FoldersModule } from '../reader/folders/folders.module.js';
import { HighlightsRepository } from '../reader/highlights/highlights.repository.js';
import { ItemsModule } from '../reader/items/items.module.js';
import { LabelsModule } from '../reader/labels/labels.module.js';
import { NoticesModule } from '../reader/notices/notices.module.js';
import { RulesModule } from '../reader/rules/rules.module.js';
import { NewsSearchModule } from '../reader/search/search.module.js';
import { StreamsModule } from '../reader/streams/streams.module.js';
import { ArticlesPart } from './articles-part.service.js';
import { FeedSettingsRestore } from './feed-settings-restore.service.js';
import { HighlightsRestore } from './highlights-restore.service.js';
import { ReaderPart } from './reader-part.service.js';
import { ReaderRestore } from './reader-restore.service.js';
import { RestoreStarts } from './restore-starts.task.js';
import { TransferredItemsRepository } from './transferred-items.repository.js';

/** The feed reader in archives of accounts. */
@Subject({
  imports: [
    DeliveryModule,
    FeedsModule,
    FiltersModule,
    FoldersModule,
    ImportsModule,
    ItemsModule,
    LabelsModule,
    NewsSearchModule,
    NoticesModule,
    OpmlModule,
    RulesModule,
    StreamsModule,
    TransferModule,
  ],
  providers: [
    ArticlesPart,
    FeedSettingsRestore,
    HighlightsRepository,
    HighlightsRestore,
    ReaderPart,
    ReaderRestore,
    RestoreStarts,
    TransferredItemsRepository,
  ],
})
export class NewsTransferModule {}
