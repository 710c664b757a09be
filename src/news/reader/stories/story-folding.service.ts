import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import {
  DeliveriesRepository,
  type DeliveredItem,
  type LeftFeeds,
} from '../delivery/deliveries.repository.js';
import { ReaderClientsRepository } from '../delivery/reader-clients.repository.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { foldStory } from './fold-story.js';
import type { StoryMember } from './join-stories.js';
import {
  ReaderStoriesRepository,
  type Pointer,
  type StoredStoryItem,
} from './reader-stories.repository.js';
import { StoriesRepository } from './stories.repository.js';
import { ofReader, READER_STORIES } from './story-jobs.js';

/** Items that one transaction makes unread. */
const ITEMS_PER_UNDO = 2000;

/** Shows a reader each story once: at deliveries, later, and when a feed is left. Under the reader's lock. */
@Injectable()
export class StoryFolding {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly clients: ReaderClientsRepository,
    private readonly stories: StoriesRepository,
    private readonly items: ReaderStoriesRepository,
    private readonly jobs: JobQueue,
    deliveries: DeliveriesRepository,
  ) {
    deliveries.carryOut('stories', (tx, reader, delivered) => this.#deliver(reader, delivered, tx));
    deliveries.onLeaving((tx, reader, left) => this.#leave(reader, left, tx));
  }

  /**
   * Marks what a reader has twice of these articles, whose stories are complete. Nothing while stories are off.
   *
   * @returns false if it has to wait, since a client is between pages
   */
  async fold(reader: Reader, articles: readonly StoryMember[]): Promise<boolean> {
    const isDone = await this.#changeUnlessPaging(reader, async (tx, locked) => {
      if (locked.storiesOnce) {
        await this.#fold(locked, articles, tx);
      }
      return true;
    });
    return isDone !== null;
  }

  /**
   * Undoes what was marked: everything if stories are off, else in feeds that are always shown. In batches.
   *
   * @returns false if it has to wait, since a client is between pages
   */
  async unfold(reader: Reader): Promise<boolean> {
    let undone: number | null;
    do {
      undone = await this.#changeUnlessPaging(reader, (tx, locked) => this.#unfoldSome(locked, tx));
    } while (undone === ITEMS_PER_UNDO);
    return undone !== null;
  }

  async #unfoldSome(reader: LockedReader, tx: SqlRunner): Promise<number> {
    const ofAll = !reader.storiesOnce;
    const some = await this.items.marked(reader.id, ofAll, ITEMS_PER_UNDO, tx);
    const ids = some.map(({ itemId }) => itemId);
    await this.items.unfold(reader, ids, tx);
    await this.items.point(
      reader,
      some.filter(({ isPointing }) => isPointing).map((item) => ({ ...item, keeperId: null })),
      tx,
    );
    await this.items.forget(reader.id, ofAll && ids.length < ITEMS_PER_UNDO ? null : ids, tx);
    return ids.length;
  }

  /** @returns null while a client is between pages */
  async #changeUnlessPaging<Result>(
    reader: Reader,
    work: (tx: SqlRunner, locked: LockedReader) => Promise<Result>,
  ): Promise<Result | null> {
    return this.readers.change(
      reader,
      async (tx, locked) => {
        return (await this.clients.isPaging(locked.id, tx)) ? null : work(tx, locked);
      },
      'deliveries',
    );
  }

  async #deliver(
    reader: LockedReader,
    delivered: readonly DeliveredItem[],
    tx: SqlRunner,
  ): Promise<void> {
    if (!reader.storiesOnce) {
      return;
    }
    // The publisher made them unread: a change that the user shall see.
    const reopened = delivered.filter(({ makesUnread }) => makesUnread);
    await this.items.point(
      reader,
      reopened.map(({ itemId }) => ({ itemId, keeperId: null, formerMicros: null })),
      tx,
    );
    const fresh = delivered.filter(({ formerMicros }) => formerMicros === null);
    if (fresh.length === 0) {
      return;
    }
    const articles = await this.stories.storiesOf(
      fresh.map(({ articleId }) => articleId),
      tx,
    );
    await this.#fold(reader, articles, tx);
    const begun = fresh.filter(({ isNews }) => !isNews);
    if (begun.length > 0) {
      // Nobody may have looked for stories in a source that the reader follows from now on.
      const feedIds = [...new Set(begun.map(({ subscriptionId }) => subscriptionId))];
      await this.jobs.send(READER_STORIES, [ofReader({ readerId: reader.id, feedIds })], tx);
      reader.afterCommit.push(() => this.jobs.wake(READER_STORIES));
    }
  }

  async #fold(
    reader: LockedReader,
    articles: readonly StoryMember[],
    tx: SqlRunner,
  ): Promise<void> {
    if (articles.length === 0) {
      return;
    }
    const storyOf = new Map(articles.map(({ articleId, storyId }) => [articleId, storyId]));
    const items = await this.items.items(reader.id, articles, tx);
    const foldings = [...Map.groupBy(items, ({ articleId }) => storyOf.get(articleId)).values()]
      .filter((ofStory) => ofStory.length > 1)
      .map((ofStory) => foldStory<StoredStoryItem>(ofStory));
    const folded = foldings.flatMap((folding) => folding.folded);
    await this.items.fold(reader, folded, tx);
    const pointers = foldings.flatMap((folding): Pointer[] =>
      folding.pointers.map(({ item, keeperId }) => ({
        itemId: item.itemId,
        keeperId,
        formerMicros:
          folded.includes(item) || item.formerMicros === reader.stampMicros
            ? null
            : item.formerMicros,
      })),
    );
    await this.items.point(reader, pointers, tx);
  }

  /** Of each story whose keeper goes unread, the next item becomes unread, and the others point to it. */
  async #leave(reader: LockedReader, left: LeftFeeds, tx: SqlRunner): Promise<void> {
    if (!reader.storiesOnce) {
      return;
    }
    const copies = await this.items.leftCopies(reader.id, left, tx);
    const next = [...Map.groupBy(copies, ({ keeperId }) => keeperId).values()].flatMap((ofOne) => {
      const known = ofOne.find(({ isUntouched }) => !isUntouched);
      const first = known ?? ofOne.find((one) => one.mayBecomeUnread) ?? ofOne[0];
      return first === undefined ? [] : [{ first, ofOne }];
    });
    await this.items.unfold(
      reader,
      next.flatMap(({ first }) =>
        first.isKeeperUnread && first.isUntouched ? [first.itemId] : [],
      ),
      tx,
    );
    const pointers = next.flatMap(({ first, ofOne }) =>
      ofOne.map((item) => ({ ...item, keeperId: item === first ? null : first.itemId })),
    );
    await this.items.point(reader, pointers, tx);
  }
}
