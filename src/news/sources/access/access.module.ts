import { Subject } from '../../../common/subjects/subject.js';
import { SourcesModule } from '../sources.module.js';
import { FeedAccessBox, SealedAccess } from './feed-access.service.js';

/** Credentials for protected feeds. */
@Subject({
  imports: [SourcesModule],
  providers: [FeedAccessBox, SealedAccess],
  exports: [FeedAccessBox],
})
export class FeedAccessModule {}
