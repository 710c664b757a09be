import { Subject } from '../../../common/subjects/subject.js';
import { ThrottleModule } from '../../../platform/sign-in/throttle/throttle.module.js';
import { PictureCache } from './picture-cache.service.js';
import { PicturesController } from './pictures.controller.js';
import { PicturesService } from './pictures.service.js';

/** Pictures of articles, through this service. */
@Subject({
  imports: [ThrottleModule],
  controllers: [PicturesController],
  providers: [PicturesService, PictureCache],
})
export class PicturesModule {}
