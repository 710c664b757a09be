import { Subject } from '../../../common/subjects/subject.js';
import { InstallationEntity } from './installation.entity.js';
import { InstallationRepository } from './installation.repository.js';

/** The id of this installation, in ids of files. */
@Subject({
  providers: [InstallationRepository],
  exports: [InstallationRepository],
  entities: [InstallationEntity],
})
export class FilesInstallationModule {}
