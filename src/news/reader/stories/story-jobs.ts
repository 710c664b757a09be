import { HOUR_SECONDS } from '../../../common/units.js';
import type { JobKind } from '../../../database/jobs/job-kind.js';

const OF_STORIES = {
  deadlineSeconds: 24 * HOUR_SECONDS,
  retryDelaySeconds: 5,
  longestRetryDelaySeconds: 120,
  attemptSeconds: 120,
};

/** Marks what readers have twice already, readers in the order of their ids. Keys are story ids. */
export interface StoryFold {
  readonly storyIds: readonly number[];
  readonly afterReaderId: number;
}

export const STORY_FOLDS: JobKind<StoryFold> = { name: 'news-stories', ...OF_STORIES, parallel: 1 };

/** Brings the items of a reader into line with stories and with the reader's choices. Keys are reader ids. */
export interface ReaderStories {
  readonly readerId: number;
  /** These stories only. */
  readonly storyIds?: readonly number[];
  /** Stories of the sources of these feeds only. */
  readonly feedIds?: readonly number[];
  /** Sources up to this one are done. */
  readonly afterSourceId?: number;
}

export const READER_STORIES: JobKind<ReaderStories> = {
  name: 'news-stories-of-reader',
  ...OF_STORIES,
  parallel: 2,
  ordered: true,
};

export const ofReader = (payload: ReaderStories) => ({ key: String(payload.readerId), payload });
