import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { UserDirectory } from '../../../common/ports/user-directory.js';
import type { JobAttempt } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { ReaderIdsRepository } from '../../reader/delivery/reader-ids.repository.js';
import { ArticleAssistant } from '../article-assistant.service.js';
import { inputHash, titleHash } from '../article-input.js';
import { AssistanceFailed, NothingToWorkOn } from '../assistance.errors.js';
import { AssistanceRepository } from '../assistance.repository.js';
import { AUTOMATIC_TASKS, type AutomaticTask } from './automation-planner.service.js';
import { AutomationRepository } from './automation.repository.js';

/** Attempts at one task; only a stop of the service leads to another one. */
const ATTEMPTS = 5;

/** The rest of a task would cost more than is left for today. */
class BudgetUsedUp extends Error {}

type Task = AutomaticTask & { readonly readerId: number };

/** Works on the tasks that were started for new items. */
@Injectable()
export class AutomationWork implements OnModuleDestroy {
  readonly #logger = new Logger('Automation');
  #isStopping = false;

  constructor(
    private readonly ids: ReaderIdsRepository,
    private readonly automation: AutomationRepository,
    private readonly requests: AssistanceRepository,
    private readonly assistant: ArticleAssistant,
    private readonly users: UserDirectory,
    private readonly config: Config,
    jobs: JobQueue,
  ) {
    jobs.carryOut(AUTOMATIC_TASKS, (job) => this.#carryOut(job));
  }

  onModuleDestroy(): void {
    this.#isStopping = true;
  }

  async #carryOut({ payload, signal, attempt }: JobAttempt<AutomaticTask>): Promise<void> {
    const { kind, assistanceIds } = payload;
    const { id: readerId } = await this.ids.of(payload.userId);
    const task = { ...payload, readerId };
    if (await this.automation.isPaused(kind)) {
      await this.requests.forget(assistanceIds);
      await this.automation.giveBackOne(readerId);
      return;
    }
    try {
      await (kind === 'title' ? this.#titles(task, signal) : this.#summary(payload, signal));
      await this.automation.forgetFailures(kind);
      await this.automation.announceResults(readerId);
    } catch (error) {
      if ((this.#isStopping || signal.aborted) && attempt < ATTEMPTS) {
        throw error;
      }
      await this.#giveUp(task, error);
    }
  }

  async #giveUp({ readerId, kind, assistanceIds }: Task, error: unknown): Promise<void> {
    if (error instanceof BudgetUsedUp) {
      await this.requests.forget(assistanceIds);
      return;
    }
    // The user has too many unfinished tasks, so this one was not started.
    if (error instanceof DomainError && error.kind === 'too-many') {
      await this.requests.forget(assistanceIds);
      await this.automation.giveBackOne(readerId);
      return;
    }
    const message = error instanceof DomainError ? error.message : 'It failed.';
    for (const id of assistanceIds) {
      await this.requests.fail(id, message);
    }
    if (error instanceof NothingToWorkOn) {
      return;
    }
    await this.automation.countFailure(kind);
    this.#logger.log(`an automatic task (${kind}) failed: ${String(error)}`);
  }

  /** One task translates all titles, unless the provider mixes up the lines. */
  async #titles({ userId, readerId, assistanceIds }: Task, signal: AbortSignal): Promise<void> {
    const account = await this.users.find(userId);
    const titles: { readonly id: number; readonly title: string }[] = [];
    let language = '';
    for (const id of assistanceIds) {
      const task = await this.requests.task(id);
      const article = task && (await this.requests.article(task, false));
      if (task && article && article.title !== null) {
        titles.push({ id, title: article.title });
        language = task.languages.slice(1);
      }
    }
    if (account === null || titles.length === 0) {
      return;
    }
    let calls = 0;
    const most = this.config.limits['automatic-tasks-per-user-and-day'];
    const payForMore = async () => {
      calls += 1;
      // The plan paid for the first one.
      if (calls > 1 && !(await this.automation.useOne(readerId, most))) {
        throw new BudgetUsedUp();
      }
    };
    const texts = titles.map(({ title }) => title);
    const translated = await this.assistant.translateTitles(
      account,
      language,
      texts,
      signal,
      payForMore,
    );
    for (const [place, { id, title }] of titles.entries()) {
      const result = { title: translated[place] ?? title, of: title };
      await this.requests.finish(id, result, titleHash(title));
    }
  }

  async #summary(
    { userId, assistanceIds: [id = 0] }: AutomaticTask,
    signal: AbortSignal,
  ): Promise<void> {
    const account = await this.users.find(userId);
    const task = await this.requests.task(id);
    if (account === null || task === null) {
      return;
    }
    const article = await this.requests.article(task, task.fullText);
    if (article === null) {
      throw new AssistanceFailed('The user or the article was removed.');
    }
    const hash = inputHash('summary', article);
    const watch = { signal, onProgress: () => {} };
    await this.requests.finish(id, await this.assistant.work(account, task, article, watch), hash);
  }
}
