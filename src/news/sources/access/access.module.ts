import { Subject } from '../../../common/subjects/subject.js';
import { FeedAccessBox, SealedAccess } from './feed-access.service.js';
import { SourcesModule } from '../sources.module.js';

/** Credentials for protected feeds. */
@Subject({
  imports: [SourcesModule],
  providers: [FeedAccessBox, SealedAccess],
  exports: [FeedAccessBox],
})
export class FeedAccessModule {}
