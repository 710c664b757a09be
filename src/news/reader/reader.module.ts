import { Subject } from '../../common/subjects/subject.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { NewsEventsModule } from './events/events.module.js';
import { FeedsModule } from './feeds/feeds.module.js';
import { FiltersModule } from './filters/filters.module.js';
import { FoldersModule } from './folders/folders.module.js';
import { ItemsModule } from './items/items.module.js';
import { LabelsModule } from './labels/labels.module.js';
import { LiveUpdatesModule } from './live/live.module.js';
import { RowsModule } from './rows/rows.module.js';
import { NewsSearchModule } from './search/search.module.js';
import { StreamsModule } from './streams/streams.module.js';

/** Folders, feeds and items of users. */
@Subject({
  imports: [
    DeliveryModule,
    FeedsModule,
    FiltersModule,
    FoldersModule,
    ItemsModule,
    LabelsModule,
    LiveUpdatesModule,
    NewsEventsModule,
    NewsSearchModule,
    RowsModule,
    StreamsModule,
  ],
})
export class ReaderModule {}
