import { Subject } from '../../../common/subjects/subject.js';
import { FeedAccessBox, SealedAccess } from './feed-access.js';
import { SourcesModule } from '../sources.module.js';

/** Credentials for feeds that ask for them. */
@Subject({
  imports: [SourcesModule],
  providers: [FeedAccessBox, SealedAccess],
  exports: [FeedAccessBox],
})
export class FeedAccessModule {}
