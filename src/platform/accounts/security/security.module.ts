import {
  AdministrationLog,
  AdministrationLogOffer,
} from '../../../common/ports/administration-log.js';
import { Subject, offered } from '../../../common/subjects/subject.js';
import { registerAuditCommands } from './security-events.commands.js';
import { SecurityEventsController } from './security-events.controller.js';
import { SecurityEventEntity, SecurityEventsRepository } from './security-events.repository.js';
import { SecurityEventsService } from './security-events.service.js';
import { SecurityTxtController } from './security-txt.controller.js';

/** The audit log, and security.txt. */
@Subject({
  controllers: [SecurityEventsController, SecurityTxtController],
  providers: [
    SecurityEventsRepository,
    SecurityEventsService,
    { provide: AdministrationLog, useExisting: SecurityEventsService },
    offered(AdministrationLogOffer, SecurityEventsService),
  ],
  exports: [AdministrationLog, SecurityEventsService],
  entities: [SecurityEventEntity],
  commands: [registerAuditCommands],
})
export class SecurityEventsModule {}
