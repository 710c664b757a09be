import { Injectable } from '@nestjs/common';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { FeedNotFound } from '../../news.errors.js';
import { EarlyReadersRepository } from '../delivery/early-readers.repository.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { ReaderStoriesRepository } from './reader-stories.repository.js';
import { ofReader, READER_STORIES } from './story-jobs.js';

/** The choices of a reader about stories. @see docs/news-api.md "Stories" */
export interface StorySettings {
  /** Whether each story is shown once. */
  readonly once: boolean;
  /** Feeds whose items stay as they are. */
  readonly alwaysShownFeeds: readonly number[];
}

@Injectable()
export class StoriesService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly stories: ReaderStoriesRepository,
    private readonly early: EarlyReadersRepository,
    private readonly jobs: JobQueue,
  ) {}

  async settings(reader: Reader): Promise<StorySettings> {
    return this.stories.settingsOf(reader.id);
  }

  /** Switches on, for what came within 72 hours and later; or off, which undoes what was marked, in the background. */
  async switch(reader: Reader, isOn: boolean): Promise<StorySettings> {
    await this.readers.change(reader, async (tx, locked) => {
      if (locked.storiesOnce !== isOn) {
        await this.stories.switch(locked.id, isOn, tx);
        await this.early.set(locked, 'stories', isOn, tx);
        await this.jobs.send(READER_STORIES, [ofReader({ readerId: locked.id })], tx);
      }
    });
    this.jobs.wake(READER_STORIES);
    return this.settings(reader);
  }

  /** @throws FeedNotFound */
  async showAlways(reader: Reader, feedId: number, isShown: boolean): Promise<StorySettings> {
    await this.readers.change(reader, async (tx, { id: readerId, storiesOnce }) => {
      const isChanged = await this.stories.showAlways(readerId, feedId, isShown, tx);
      FeedNotFound.unless(isChanged !== null, feedId);
      if (storiesOnce && isChanged === true) {
        await this.jobs.send(READER_STORIES, [ofReader({ readerId, feedIds: [feedId] })], tx);
      }
    });
    this.jobs.wake(READER_STORIES);
    return this.settings(reader);
  }
}
