import { Subject } from '../../../common/subjects/subject.js';
import { UsersModule } from '../users/users.module.js';
import { AvatarsController } from './avatars.controller.js';
import { AvatarEntity, AvatarsRepository } from './avatars.repository.js';
import { AvatarsService } from './avatars.service.js';

/** Pictures of users. */
@Subject({
  imports: [UsersModule],
  controllers: [AvatarsController],
  providers: [AvatarsRepository, AvatarsService],
  entities: [AvatarEntity],
})
export class AvatarsModule {}
