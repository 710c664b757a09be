import { Subject } from '../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../platform/accounts/security/security.module.js';
import { EventListenersModule } from '../events/events.module.js';
import { registerDeadLetterCommands } from './dead-letters.commands.js';
import { DeadLettersController, QueuesController } from './queues.controller.js';
import { QueuesService } from './queues.service.js';

/** Job queues and dead letters, for administrators. */
@Subject({
  imports: [EventListenersModule, SecurityEventsModule],
  controllers: [DeadLettersController, QueuesController],
  providers: [QueuesService],
  exports: [QueuesService],
  commands: [registerDeadLetterCommands],
})
export class QueuesModule {}
