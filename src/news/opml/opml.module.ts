import { Subject } from '../../common/subjects/subject.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { FoldersModule } from '../reader/folders/folders.module.js';
import { RulesModule } from '../reader/rules/rules.module.js';
import { FeedAccessModule } from '../sources/access/access.module.js';
import { SourcesModule } from '../sources/sources.module.js';
import { ImportDeliveries } from './import-deliveries.service.js';
import { OpmlExport } from './opml-export.service.js';
import { OpmlReader } from './opml-reader.service.js';
import { OpmlRules } from './opml-rules.service.js';
import { registerOpmlCommands } from './opml.commands.js';
import { OpmlController, OpmlOfWebInterfaceController } from './opml.controller.js';
import { OpmlRepository } from './opml.repository.js';
import { OpmlService } from './opml.service.js';

/** Export and import of subscriptions as OPML. */
@Subject({
  imports: [
    DeliveryModule,
    FeedAccessModule,
    FeedsModule,
    FoldersModule,
    SourcesModule,
    RulesModule,
  ],
  controllers: [OpmlController, OpmlOfWebInterfaceController],
  providers: [OpmlService, OpmlExport, OpmlRepository, OpmlReader, OpmlRules, ImportDeliveries],
  exports: [OpmlService, OpmlExport, OpmlReader],
  commands: [registerOpmlCommands],
})
export class OpmlModule {}
