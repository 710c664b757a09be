import { Subject } from '../../../common/subjects/subject.js';
import { GroupsModule } from '../../accounts/groups/groups.module.js';
import { SecurityEventsModule } from '../../accounts/security/security.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { ScimGroupsService } from './scim-groups.service.js';
import { SCIM_RESOURCES_CONTROLLERS, ScimServiceController } from './scim-resources.controllers.js';
import { ScimUsersService } from './scim-users.service.js';
import { ScimGroupEntity } from './scim.entities.js';
import { ScimRepository } from './scim.repository.js';

/** Accounts and groups that an identity provider keeps by SCIM. */
@Subject({
  imports: [GroupsModule, SecurityEventsModule, UsersModule],
  controllers: [ScimServiceController, ...SCIM_RESOURCES_CONTROLLERS],
  providers: [ScimRepository, ScimUsersService, ScimGroupsService],
  entities: [ScimGroupEntity],
})
export class ScimModule {}
