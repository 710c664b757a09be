import { Subject } from '../../../common/subjects/subject.js';
import { IconsController } from './icons.controller.js';
import { NavigationController } from './navigation.controller.js';

/** The top menu, for clients. */
@Subject({
  controllers: [NavigationController, IconsController],
})
export class NavigationModule {}
