import { AppDaemonEntity } from './apps/daemons/app-daemon.entity.js';
import { AppTrustAnswerEntity } from './apps/trust/app-trust-answer.entity.js';
import { AppConsentEntity } from './consent/app-consent.entity.js';
import { ExAppEntity } from './apps/ex-app.entity.js';
import { ExAppLogLineEntity } from './apps/log/ex-app-log-line.entity.js';
import { ExAppRegistrationEntity } from './capabilities/ex-app-registration.entity.js';
import { ExAppRouteEntity } from './proxy/ex-app-route.entity.js';
import { ExAppTaskEntity } from './tasks/ex-app-task.entity.js';
import { ExAppTaskPieceEntity } from './tasks/ex-app-task-piece.entity.js';
import { ProcessingTaskFilePieceEntity } from './task-processing/files/processing-task-file-piece.entity.js';
import { ProcessingTaskFileEntity } from './task-processing/files/processing-task-file.entity.js';
import { TaskTypeSettingEntity } from './task-processing/providers/task-type-setting.entity.js';
import { ProcessingTaskEntity } from './task-processing/queue/processing-task.entity.js';
import { ExAppValueEntity } from './values/ex-app-value.entity.js';
import { ServiceAddressEntity } from './host/service-address.entity.js';

/** The entities of this room. */
export const APP_API_ENTITIES = [
  AppConsentEntity,
  AppDaemonEntity,
  AppTrustAnswerEntity,
  ExAppEntity,
  ExAppLogLineEntity,
  ExAppRegistrationEntity,
  ExAppRouteEntity,
  ExAppTaskEntity,
  ExAppTaskPieceEntity,
  ExAppValueEntity,
  ProcessingTaskEntity,
  ProcessingTaskFileEntity,
  ProcessingTaskFilePieceEntity,
  ServiceAddressEntity,
  TaskTypeSettingEntity,
];
