import { Subject } from '../../../common/subjects/subject.js';
import { AppsModule } from '../../apps/apps.module.js';
import { registrationController } from '../../capabilities/capabilities.controller.js';
import { RegistrationsModule } from '../../capabilities/capabilities.module.js';
import { TaskConsumersModule } from '../consumers/consumers.module.js';
import { TaskProvidersModule } from '../providers/providers.module.js';
import { TaskQueueModule } from '../queue/queue.module.js';
import { OlderTasks } from './older-tasks.service.js';
import {
  SPEECH_TO_TEXT_PROVIDER,
  TEXT_PROCESSING_PROVIDER,
  TRANSLATION_PROVIDER,
} from './providers.js';
import { SpeechToTextController } from './speech-to-text.controller.js';
import { SpeechToTextService } from './speech-to-text.service.js';
import { TaskReportsController } from './task-reports.controller.js';
import { TextProcessingController } from './text-processing.controller.js';
import { TextProcessingService } from './text-processing.service.js';
import { TranslationTasks } from './translation-tasks.service.js';
import { TranslationController } from './translation.controller.js';
import { TranslationService } from './translation.service.js';

/** Translation, text processing and speech to text as older interfaces have them. */
@Subject({
  imports: [
    AppsModule,
    RegistrationsModule,
    TaskConsumersModule,
    TaskProvidersModule,
    TaskQueueModule,
  ],
  controllers: [
    registrationController(TRANSLATION_PROVIDER),
    registrationController(TEXT_PROCESSING_PROVIDER),
    registrationController(SPEECH_TO_TEXT_PROVIDER),
    TaskReportsController,
    SpeechToTextController,
    TextProcessingController,
    TranslationController,
  ],
  providers: [
    SpeechToTextService,
    TextProcessingService,
    OlderTasks,
    TranslationTasks,
    TranslationService,
  ],
})
export class OlderTasksModule {}
