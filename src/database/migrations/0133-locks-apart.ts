import { FunctionsMigration } from './kinds.js';

/** The lock of `note_news_event_wishes` had the number of a reader. */
export class Migration0133LocksApart extends FunctionsMigration {
  override name = '0133-locks-apart';
}
