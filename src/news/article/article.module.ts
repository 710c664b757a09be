import { Subject } from '../../common/subjects/subject.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FullTextModule } from '../sources/full-text/full-text.module.js';
import { ArticleRepository } from './article.repository.js';
import { ArticleService } from './article.service.js';
import { ArticleV13Controller } from './article.v1-3.controller.js';
import { ChaptersService } from './chapters.service.js';
import { PlaybackPositionEntity, PlaybackRepository } from './playback.repository.js';
import { PlaybackService } from './playback.service.js';
import { PlaybackV13Controller } from './playback.v1-3.controller.js';

/** Features of a single article: extras, chapters, playback position, its page. */
@Subject({
  imports: [DeliveryModule, FullTextModule],
  controllers: [ArticleV13Controller, PlaybackV13Controller],
  providers: [
    ArticleRepository,
    ArticleService,
    ChaptersService,
    PlaybackRepository,
    PlaybackService,
  ],
  entities: [PlaybackPositionEntity],
})
export class ArticleModule {}
