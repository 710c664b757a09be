import { Injectable, Logger } from '@nestjs/common';
import { HOUR_SECONDS } from '../../../common/units.js';
import type { JobAttempt } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { Regularly } from '../../../database/regularly.js';
import type { Arrival } from '../../sources/articles/arrivals.js';
import { ArrivalStoriesOffer, type ArrivalStories } from '../arrival/arrival-stories.offer.js';
import { ClientIsPaging } from '../delivery/reader-clients.repository.js';
import { ReaderIdsRepository } from '../delivery/reader-ids.repository.js';
import { ReaderStoriesRepository } from './reader-stories.repository.js';
import { StoriesRepository } from './stories.repository.js';
import { StoryFinding } from './story-finding.service.js';
import { StoryFolding } from './story-folding.service.js';
import {
  ofReader,
  READER_STORIES,
  STORY_FOLDS,
  type ReaderStories,
  type StoryFold,
} from './story-jobs.js';

const READERS_AT_A_TIME = 500;

/** Concurrent readers; each has a connection. */
const LANES = 3;

const SOURCES_AT_A_TIME = 20;

/** Durable and repeatable work on stories: what is marked is marked once, what is undone once. */
@Injectable()
export class StoryWork implements ArrivalStories {
  readonly #logger = new Logger('Stories');

  constructor(
    private readonly stories: StoriesRepository,
    private readonly finding: StoryFinding,
    private readonly folding: StoryFolding,
    private readonly choices: ReaderStoriesRepository,
    private readonly readers: ReaderIdsRepository,
    private readonly jobs: JobQueue,
    arrivals: ArrivalStoriesOffer,
  ) {
    arrivals.fill(this);
    jobs.carryOut(STORY_FOLDS, (job) => this.#foldAll(job));
    jobs.carryOut(READER_STORIES, (job) => this.#arrange(job));
  }

  async arrived(arrival: Arrival, signal: AbortSignal): Promise<void> {
    await this.finding.find(arrival.sourceId, await this.stories.arrived(arrival), signal);
  }

  @Regularly('news-stories', HOUR_SECONDS)
  async forgetOld(): Promise<void> {
    await this.stories.forgetOld();
  }

  /** A batch of readers; those to whom it fails, and the next batch, get jobs of their own. */
  async #foldAll({ payload, signal }: JobAttempt<StoryFold>): Promise<void> {
    const { storyIds, afterReaderId } = payload;
    const articles = await this.stories.articlesOf(storyIds);
    const readers = await this.stories.readersOf(articles, afterReaderId, READERS_AT_A_TIME);
    const known = await this.readers.withIds(readers.map(({ readerId }) => readerId));
    const readerOf = new Map(known.map((reader) => [reader.id, reader]));
    const waiting = [...readers];
    const postponed: ReaderStories[] = [];
    const lane = async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        signal.throwIfAborted();
        const { readerId, storyIds: ids } = one;
        const own = articles.filter(({ storyId }) => ids.includes(storyId));
        try {
          const reader = readerOf.get(readerId);
          if (reader !== undefined && !(await this.folding.fold(reader, own))) {
            postponed.push({ readerId, storyIds: ids });
          }
        } catch (error) {
          this.#logger.warn(`reader ${readerId} sees a story once later: ${String(error)}`);
          postponed.push({ readerId, storyIds: ids });
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await this.jobs.send(READER_STORIES, postponed.map(ofReader));
    const last = readers.at(-1);
    if (readers.length === READERS_AT_A_TIME && last !== undefined) {
      const next = { storyIds, afterReaderId: last.readerId };
      await this.jobs.send(STORY_FOLDS, [{ key: String(storyIds[0]), payload: next }]);
    }
  }

  async #arrange({ payload, signal }: JobAttempt<ReaderStories>): Promise<void> {
    const { readerId, storyIds, feedIds = null, afterSourceId = 0 } = payload;
    const [reader] = await this.readers.withIds([readerId]);
    if (reader === undefined) {
      return;
    }
    if (storyIds !== undefined) {
      const articles = await this.stories.articlesOf(storyIds);
      return notPaging(await this.folding.fold(reader, articles));
    }
    notPaging(await this.folding.unfold(reader));
    const { once } = await this.choices.settingsOf(readerId);
    if (!once) {
      return;
    }
    const sources = await this.choices.sources(readerId, feedIds, afterSourceId, SOURCES_AT_A_TIME);
    const recent: number[] = [];
    for (const sourceId of sources) {
      const { ids, unsigned } = await this.stories.recent(sourceId);
      recent.push(...ids);
      await this.finding.find(sourceId, unsigned, signal);
    }
    notPaging(await this.folding.fold(reader, await this.stories.storiesOf(recent)));
    const last = sources.at(-1);
    if (sources.length === SOURCES_AT_A_TIME && last !== undefined) {
      await this.jobs.send(READER_STORIES, [ofReader({ ...payload, afterSourceId: last })]);
    }
  }
}

function notPaging(isDone: boolean): void {
  if (!isDone) {
    throw new ClientIsPaging();
  }
}
