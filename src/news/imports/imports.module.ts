import { Subject } from '../../common/subjects/subject.js';
import { TransferModule } from '../../platform/transfer/transfer.module.js';
import { AddedItemsModule } from '../adding/adding.module.js';
import { OpmlModule } from '../opml/opml.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { FoldersModule } from '../reader/folders/folders.module.js';
import { HighlightsRepository } from '../reader/highlights/highlights.repository.js';
import { LabelsModule } from '../reader/labels/labels.module.js';
import { RulesModule } from '../reader/rules/rules.module.js';
import { NewsSearchModule } from '../reader/search/search.module.js';
import { FeedFetchModule } from '../sources/fetch/fetch.module.js';
import { ImportFeeds } from './import-feeds.service.js';
import { ImportLists } from './import-lists.service.js';
import { ImportNotes } from './import-notes.service.js';
import { ImportReadings } from './import-reading.service.js';
import { ImportSteps } from './import-steps.service.js';
import { ImportUndoing } from './import-undoing.service.js';
import { ImportUploads } from './import-uploads.service.js';
import { ImportWork } from './import-work.task.js';
import { ImportWriting } from './import-writing.service.js';
import { ImportedItemsRepository } from './imported-items.repository.js';
import { ImportedTexts } from './imported-texts.service.js';
import { registerImportCommand } from './imports.commands.js';
import { ImportsController } from './imports.controller.js';
import { NewsImportEntity, NewsImportRowEntity } from './imports.entities.js';
import { ImportsRepository } from './imports.repository.js';
import { ImportsService } from './imports.service.js';
import { MatchesRepository } from './matches.repository.js';
import { RowMatching } from './row-matching.service.js';

/** What people bring from other readers. */
@Subject({
  imports: [
    AddedItemsModule,
    DeliveryModule,
    FeedFetchModule,
    FeedsModule,
    FoldersModule,
    LabelsModule,
    NewsSearchModule,
    OpmlModule,
    RulesModule,
    TransferModule,
  ],
  controllers: [ImportsController],
  providers: [
    HighlightsRepository,
    ImportedItemsRepository,
    ImportedTexts,
    ImportFeeds,
    ImportLists,
    ImportNotes,
    ImportReadings,
    ImportsRepository,
    ImportsService,
    ImportSteps,
    ImportUndoing,
    ImportUploads,
    ImportWork,
    ImportWriting,
    MatchesRepository,
    RowMatching,
  ],
  exports: [ImportsRepository, RowMatching],
  entities: [NewsImportEntity, NewsImportRowEntity],
  commands: [registerImportCommand],
})
export class ImportsModule {}
