import { Subject } from '../../common/subjects/subject.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { SourcesModule } from '../sources/sources.module.js';
import { registerImportNextcloudCommand } from './import-nextcloud.commands.js';
import { ImportsRepository } from './imports.repository.js';
import { NextcloudImportService } from './nextcloud-import.service.js';

/** Imports users of Nextcloud News. */
@Subject({
  imports: [DeliveryModule, SourcesModule],
  providers: [NextcloudImportService, ImportsRepository],
  commands: [registerImportNextcloudCommand],
})
export class ImportNextcloudModule {}
