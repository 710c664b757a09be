import { Subject } from '../../../common/subjects/subject.js';
import { IconsController, NavigationController } from './navigation.controller.js';

/** The top menu, for clients. */
@Subject({
  controllers: [NavigationController, IconsController],
})
export class NavigationModule {}
