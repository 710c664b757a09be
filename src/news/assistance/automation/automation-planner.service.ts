import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { TextProcessingOffer } from '../../../common/ports/text-processing.js';
import { TranslationOffer } from '../../../common/ports/translation.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import type { JobKind } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { AUTOMATION_PLANS } from '../../reader/delivery/delivery.service.js';
import { ReaderIdsRepository } from '../../reader/delivery/reader-ids.repository.js';
import { inputHash, titleHash } from '../article-input.js';
import { AssistanceRepository, type AssistanceKey } from '../assistance.repository.js';
import {
  AutomationRepository,
  type AutomaticKind,
  type LockedBudget,
  type NewItem,
} from './automation.repository.js';

/** The requests of one task: a summary, or titles to translate together. */
export interface AutomaticTask {
  readonly userId: string;
  readonly kind: AutomaticKind;
  readonly assistanceIds: readonly number[];
}

/** Separate from requested jobs, so that those do not wait. Keys are user ids. */
export const AUTOMATIC_TASKS: JobKind<AutomaticTask> = {
  name: 'news-automatic-task',
  deadlineSeconds: 6 * 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 10,
  attemptSeconds: 3600,
  parallel: 3,
  // Leaves room for other users.
  parallelPerGroup: 1,
};

const TITLES_PER_TASK = 40;
/** Limit of new items at once; further ones are skipped. */
const MOST_ITEMS = 1000;

/** A request that has to be made. */
interface Wanted {
  readonly key: AssistanceKey;
  readonly hash: Buffer;
}

/** Starts the tasks that users want for new items, as far as their budget of the day reaches. */
@Injectable()
export class AutomationPlanner {
  constructor(
    private readonly ids: ReaderIdsRepository,
    private readonly automation: AutomationRepository,
    private readonly requests: AssistanceRepository,
    private readonly translation: TranslationOffer,
    private readonly texts: TextProcessingOffer,
    private readonly config: Config,
    private readonly database: Database,
    private readonly jobs: JobQueue,
  ) {
    jobs.carryOut(AUTOMATION_PLANS, ({ payload }) => this.plan(payload.userId));
  }

  /**
   * Examines the items that arrived since the last plan, newest first. Results of other users are reused.
   * Without a provider, or while it pauses, the items wait for the next plan; when the budget is used up,
   * they are skipped.
   */
  async plan(userId: string): Promise<void> {
    const { id: readerId } = await this.ids.of(userId);
    const [canSummarise, canTranslate] = await Promise.all([
      this.#isReady('summary', async () =>
        (await this.texts.required.taskTypes()).includes('summary'),
      ),
      this.#isReady('title', async () => (await this.translation.required.languages()).length > 0),
    ]);
    const languages: string[] = [];
    for (const language of canTranslate ? await this.automation.languages(readerId) : []) {
      if (await this.translation.required.translates(null, language)) {
        languages.push(language);
      }
    }
    // Uses no other connection: other plans could hold all of them.
    const tasks = await this.database.transaction(async (tx) => {
      let budget = await this.automation.lockBudget(readerId, tx);
      if (budget === null || !budget.isOn) {
        return [];
      }
      const newestId = await this.automation.newestItemId(readerId, tx);
      const planned: AutomaticTask[] = [];
      if (canTranslate) {
        const titles = await this.#planTitles(userId, budget, languages, tx);
        planned.push(...titles);
        budget = { ...budget, used: budget.used + titles.length, titlesDoneId: newestId };
      }
      if (canSummarise) {
        const summaries = await this.#planSummaries(userId, budget, tx);
        planned.push(...summaries);
        budget = { ...budget, used: budget.used + summaries.length, summariesDoneId: newestId };
      }
      await this.automation.savePlan(budget, tx);
      const jobs = planned.map((payload) => ({ key: userId, payload }));
      await this.jobs.send(AUTOMATIC_TASKS, jobs, tx);
      return planned;
    });
    this.jobs.wake(AUTOMATIC_TASKS, tasks.length);
  }

  async #isReady(kind: AutomaticKind, hasProvider: () => Promise<boolean>): Promise<boolean> {
    return (await hasProvider()) && !(await this.automation.isPaused(kind));
  }

  async #planTitles(
    userId: string,
    budget: LockedBudget,
    languages: readonly string[],
    tx: SqlRunner,
  ): Promise<AutomaticTask[]> {
    const items = await this.automation.newItems('title', budget, MOST_ITEMS, tx);
    const titled = items.filter(({ title }) => /\p{L}/u.test(title));
    let left = this.#left(budget);
    const tasks: AutomaticTask[] = [];
    for (const language of languages) {
      const titles = titled.filter((item) => item.language === language);
      const wanted = titles.map(({ articleId, sourceId, title }): Wanted => ({
        key: { articleId, sourceId, kind: 'title', languages: `>${language}`, fullText: false },
        hash: titleHash(title),
      }));
      const missing = await this.requests.missing(wanted, tx);
      const ids = await this.#begin(userId, missing.slice(0, left * TITLES_PER_TASK), tx);
      for (let at = 0; at < ids.length; at += TITLES_PER_TASK) {
        const assistanceIds = ids.slice(at, at + TITLES_PER_TASK);
        tasks.push({ userId, kind: 'title', assistanceIds });
        left -= 1;
      }
    }
    return tasks;
  }

  async #planSummaries(
    userId: string,
    budget: LockedBudget,
    tx: SqlRunner,
  ): Promise<AutomaticTask[]> {
    const items = await this.automation.newItems('summary', budget, MOST_ITEMS, tx);
    const wanted: Wanted[] = [];
    for (const item of items) {
      if (wanted.length >= this.#left(budget)) {
        break;
      }
      const summary = await this.#summaryOf(budget.readerId, item, tx);
      wanted.push(...(await this.requests.missing(summary === null ? [] : [summary], tx)));
    }
    const ids = await this.#begin(userId, wanted, tx);
    return ids.map((id) => ({ userId, kind: 'summary', assistanceIds: [id] }));
  }

  /** Null for an item without text. */
  async #summaryOf(readerId: number, { itemId }: NewItem, tx: SqlRunner): Promise<Wanted | null> {
    const article = await this.requests.articleOf(readerId, itemId, tx);
    try {
      return (
        article && {
          key: {
            articleId: article.articleId,
            sourceId: article.sourceId,
            kind: 'summary',
            languages: '',
            fullText: article.fullText,
          },
          hash: inputHash('summary', article),
        }
      );
    } catch (error) {
      if (error instanceof DomainError) {
        return null;
      }
      throw error;
    }
  }

  /** Sorted by article, so that plans of several users lock the same rows in the same order. */
  async #begin(userId: string, wanted: readonly Wanted[], tx: SqlRunner): Promise<number[]> {
    const ids: number[] = [];
    for (const { key, hash } of wanted.toSorted((a, b) => a.key.articleId - b.key.articleId)) {
      const id = await this.requests.begin(key, hash, userId, true, tx);
      if (id !== null) {
        ids.push(id);
      }
    }
    return ids;
  }

  #left({ used }: LockedBudget): number {
    return Math.max(this.config.limits['automatic-tasks-per-user-and-day'] - used, 0);
  }
}
