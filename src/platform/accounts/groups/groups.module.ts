import { Subject } from '../../../common/subjects/subject.js';
import { SecurityEventsModule } from '../security/security.module.js';
import { UsersModule } from '../users/users.module.js';
import { registerGroupCommands } from './groups.commands.js';
import { GroupsController } from './groups.controller.js';
import { AccountGroupEntity } from './groups.entities.js';
import { GroupsRepository } from './groups.repository.js';
import { GroupsService } from './groups.service.js';
import { ManagedGroupsService } from './managed-groups.service.js';

@Subject({
  imports: [SecurityEventsModule, UsersModule],
  controllers: [GroupsController],
  providers: [GroupsRepository, ManagedGroupsService, GroupsService],
  exports: [GroupsService, ManagedGroupsService],
  entities: [AccountGroupEntity],
  commands: [registerGroupCommands],
})
export class GroupsModule {}
