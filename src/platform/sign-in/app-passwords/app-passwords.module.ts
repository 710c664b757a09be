import { Subject } from '../../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../accounts/security/security.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { registerAppPasswordCommands } from './app-passwords.commands.js';
import { AppPasswordsController, OwnAppPasswordController } from './app-passwords.controller.js';
import { AppPasswordEntity, AppPasswordsRepository } from './app-passwords.repository.js';
import { AppPasswordsService } from './app-passwords.service.js';

/** Passwords of programs. */
@Subject({
  imports: [SecurityEventsModule, UsersModule],
  controllers: [AppPasswordsController, OwnAppPasswordController],
  providers: [AppPasswordsRepository, AppPasswordsService],
  exports: [AppPasswordsService],
  entities: [AppPasswordEntity],
  commands: [registerAppPasswordCommands],
})
export class AppPasswordsModule {}
