import { Subject } from '../../common/subjects/subject.js';
import { ArticlePageRepository } from './article-page/article-page.repository.js';
import { ArticlePageService } from './article-page/article-page.service.js';
import { ArticlePageV13Controller } from './article-page/article-page.v1-3.controller.js';
import { ChaptersService } from './chapters/chapters.service.js';
import { ChaptersV13Controller } from './chapters/chapters.v1-3.controller.js';
import { ExtrasRepository } from './extras/extras.repository.js';
import { ExtrasService } from './extras/extras.service.js';
import { ExtrasV13Controller } from './extras/extras.v1-3.controller.js';
import { PlaybackPositionEntity } from './playback/playback-position.entity.js';
import { PlaybackRepository } from './playback/playback.repository.js';
import { PlaybackService } from './playback/playback.service.js';
import { PlaybackV13Controller } from './playback/playback.v1-3.controller.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FullTextModule } from '../sources/full-text/full-text.module.js';
import { ThrottleModule } from '../../platform/sign-in/throttle/throttle.module.js';

/** What there is to one article: extras, chapters, the position of playback, its page. */
@Subject({
  imports: [DeliveryModule, FullTextModule, ThrottleModule],
  controllers: [
    ChaptersV13Controller,
    ExtrasV13Controller,
    ArticlePageV13Controller,
    PlaybackV13Controller,
  ],
  providers: [
    ChaptersService,
    ExtrasService,
    ArticlePageService,
    PlaybackService,
    ExtrasRepository,
    ArticlePageRepository,
    PlaybackRepository,
  ],
  entities: [PlaybackPositionEntity],
})
export class ArticleModule {}
