import { Subject } from '../../../common/subjects/subject.js';
import { AvatarEntity, AvatarsRepository } from './avatars.repository.js';
import { AvatarsController } from './avatars.controller.js';
import { AvatarsService } from './avatars.service.js';
import { UsersModule } from '../users/users.module.js';

/** Pictures of users. */
@Subject({
  imports: [UsersModule],
  controllers: [AvatarsController],
  providers: [AvatarsRepository, AvatarsService],
  entities: [AvatarEntity],
})
export class AvatarsModule {}
