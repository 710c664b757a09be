import { Injectable } from '@nestjs/common';
import { Turns } from '../../../common/turns.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { sameStory } from '../../story/same-story.js';
import {
  decodeSignature,
  encodeSignature,
  keysOf,
  signatureOf,
  type StorySignature,
} from '../../story/story-signature.js';
import { joinStories, type FoundMatch } from './join-stories.js';
import { StoriesRepository, type SignedArticle } from './stories.repository.js';
import { STORY_FOLDS } from './story-jobs.js';

/** Few enough that their bodies and keys take little memory. */
const ARTICLES_AT_A_TIME = 50;

interface Compared {
  readonly articleId: number;
  readonly sourceId: number;
  readonly signature: StorySignature;
}

/**
 * Finds stories that articles have in common. Repeatable: the same articles make the same stories. Articles are
 * signed, and that is committed, before others are looked for: of two that are stored at the same time, in any
 * processes, the later look-up finds the earlier one.
 *
 * @see docs/decisions/0099-one-story-once.md
 */
@Injectable()
export class StoryFinding {
  constructor(
    private readonly stories: StoriesRepository,
    private readonly jobs: JobQueue,
  ) {}

  /** Compares articles of a source with those of the last days. */
  async find(sourceId: number, articleIds: readonly number[], signal: AbortSignal): Promise<void> {
    for (let at = 0; at < articleIds.length; at += ARTICLES_AT_A_TIME) {
      signal.throwIfAborted();
      await this.#findSome(sourceId, articleIds.slice(at, at + ARTICLES_AT_A_TIME));
    }
  }

  async #findSome(sourceId: number, articleIds: readonly number[]): Promise<void> {
    const turns = new Turns();
    const signed = await turns.map(await this.stories.read(sourceId, articleIds), (article) => {
      const signature = signatureOf(article);
      return { articleId: article.articleId, sourceId, signature, keys: keysOf(signature) };
    });
    if (signed.length === 0) {
      return;
    }
    await this.stories.sign(sourceId, await turns.map(signed, toStored));
    const pairs = await this.stories.candidates(signed);
    const matches = await this.#matches(signed, pairs, turns);
    if (matches.length === 0) {
      return;
    }
    await this.stories.change(
      matches.flatMap(({ articles }) => articles.map(({ articleId }) => articleId)),
      (known) => joinStories(known, matches),
      (storyIds, tx) =>
        this.jobs.send(
          STORY_FOLDS,
          [{ key: String(storyIds[0]), payload: { storyIds, afterReaderId: 0 } }],
          tx,
        ),
    );
    this.jobs.wake(STORY_FOLDS);
  }

  async #matches(
    signed: readonly Compared[],
    pairs: readonly { readonly articleId: number; readonly otherId: number }[],
    turns: Turns,
  ): Promise<FoundMatch[]> {
    const known = new Map(signed.map((one) => [one.articleId, one]));
    const others = new Set(pairs.map(({ otherId }) => otherId).filter((id) => !known.has(id)));
    for (const { signature, ...other } of await this.stories.signatures([...others])) {
      await turns.take();
      known.set(other.articleId, { ...other, signature: decodeSignature(signature) });
    }
    const matches = await turns.map(pairs, ({ articleId, otherId }): FoundMatch[] => {
      const [one, other] = [known.get(articleId), known.get(otherId)];
      if (one === undefined || other === undefined) {
        return [];
      }
      const match = sameStory(one.signature, other.signature, one.sourceId === other.sourceId);
      return match === null ? [] : [{ ...match, articles: [one, other] }];
    });
    return matches.flat();
  }
}

const toStored = ({
  articleId,
  signature,
  keys,
}: Compared & Pick<SignedArticle, 'keys'>): SignedArticle => ({
  articleId,
  signature: encodeSignature(signature),
  keys,
});
