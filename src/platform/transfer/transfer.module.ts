import { AccountRestores } from '../../common/ports/account-restores.js';
import { Subject } from '../../common/subjects/subject.js';
import { GroupsModule } from '../accounts/groups/groups.module.js';
import { PreferencesModule } from '../accounts/preferences/preferences.module.js';
import { SecurityEventsModule } from '../accounts/security/security.module.js';
import { UsersModule } from '../accounts/users/users.module.js';
import { AppPasswordsModule } from '../sign-in/app-passwords/app-passwords.module.js';
import { SessionsModule } from '../sign-in/sessions/sessions.module.js';
import { ThrottleModule } from '../sign-in/throttle/throttle.module.js';
import { AccountPart } from './account-part.service.js';
import { ArchiveTimes } from './archive-times.service.js';
import { ArchiveWork } from './archive-work.service.js';
import {
  AccountArchiveEntity,
  AccountArchivePieceEntity,
  ArchivesRepository,
} from './archives.repository.js';
import { registerExportCommands } from './exports.commands.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';
import { RestoresService } from './restores.service.js';

/** Everything that an account has, as one archive that its user takes along. */
@Subject({
  imports: [
    AppPasswordsModule,
    GroupsModule,
    PreferencesModule,
    SecurityEventsModule,
    SessionsModule,
    ThrottleModule,
    UsersModule,
  ],
  controllers: [ExportsController],
  providers: [
    AccountPart,
    ArchivesRepository,
    ArchiveTimes,
    ArchiveWork,
    ExportsService,
    RestoresService,
    { provide: AccountRestores, useExisting: RestoresService },
  ],
  exports: [AccountRestores],
  entities: [AccountArchiveEntity, AccountArchivePieceEntity],
  commands: [registerExportCommands],
})
export class TransferModule {}
