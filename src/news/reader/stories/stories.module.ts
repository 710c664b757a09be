import { StoryExceptionsOffer } from '../../../common/ports/story-exceptions.js';
import { Subject, offered } from '../../../common/subjects/subject.js';
import { ArrivalModule } from '../arrival/arrival.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { ReaderStoriesRepository } from './reader-stories.repository.js';
import { StoriesRepository } from './stories.repository.js';
import { StoriesService } from './stories.service.js';
import { StoriesV13Controller } from './stories.v1-3.controller.js';
import { StoryFinding } from './story-finding.service.js';
import { StoryFolding } from './story-folding.service.js';
import { StoryWork } from './story-work.task.js';
import { ArticleStoryEntity, StoryKeyEntity, StorySignatureEntity } from './story.entities.js';

/** Shows users each story once: finds articles of one story, and marks the copies read. */
@Subject({
  entities: [ArticleStoryEntity, StoryKeyEntity, StorySignatureEntity],
  imports: [ArrivalModule, DeliveryModule, RulesModule],
  controllers: [StoriesV13Controller],
  providers: [
    ReaderStoriesRepository,
    StoriesRepository,
    StoriesService,
    StoryFinding,
    StoryFolding,
    StoryWork,
    offered(StoryExceptionsOffer, StoriesService),
  ],
})
export class StoriesModule {}
