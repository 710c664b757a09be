import { Subject } from '../../common/subjects/subject.js';
import { CredentialsModule } from '../../platform/sign-in/credentials/credentials.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { FoldersModule } from '../reader/folders/folders.module.js';
import { UpdaterModule } from '../updater/updater.module.js';
import { ArticleAssistant } from './article-assistant.service.js';
import { AssistanceWork } from './assistance-work.task.js';
import { AssistanceRepository } from './assistance.repository.js';
import { AssistanceService } from './assistance.service.js';
import { AssistanceV13Controller } from './assistance.v1-3.controller.js';
import { AutomationPlanner } from './automation/automation-planner.service.js';
import { AutomationWork } from './automation/automation-work.task.js';
import { AutomationRepository } from './automation/automation.repository.js';
import { AutomationService } from './automation/automation.service.js';
import { AutomationV13Controller } from './automation/automation.v1-3.controller.js';
import { QuestionWork } from './automation/questions.task.js';
import { RecordingFetcher } from './fetch-recording.service.js';

/** Summaries, translations and transcripts of articles by external apps. */
@Subject({
  imports: [CredentialsModule, DeliveryModule, FeedsModule, FoldersModule, UpdaterModule],
  controllers: [AssistanceV13Controller, AutomationV13Controller],
  providers: [
    RecordingFetcher,
    ArticleAssistant,
    AssistanceService,
    AssistanceWork,
    AutomationPlanner,
    AutomationRepository,
    AutomationService,
    AutomationWork,
    QuestionWork,
    AssistanceRepository,
  ],
})
export class AssistanceModule {}
