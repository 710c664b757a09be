import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, InvalidInput } from '../../common/errors/domain-error.js';
import { SpeechToText } from '../../common/ports/speech-to-text.js';
import { TextProcessing } from '../../common/ports/text-processing.js';
import { Translation, type LanguagePair } from '../../common/ports/translation.js';
import { UserDirectory } from '../../common/ports/user-directory.js';
import { Database } from '../../database/database.js';
import type { JobAttempt } from '../../database/job-kind.js';
import { JobQueue } from '../../database/job-queue.js';
import { ItemNotFound } from '../news.errors.js';
import {
  AssistanceRepository,
  type ArticleText,
  type Assistance,
  type AssistanceKey,
  type AssistanceKind,
} from './assistance.repository.js';
import { ArticleAssistant } from './article-assistant.js';
import { inputHash } from './article-input.js';
import { TEXT_JOBS, TRANSCRIPT_JOBS, type AssistanceJob } from './assistance-jobs.js';
import {
  AssistanceFailed,
  AssistanceNotFound,
  NoAssistance,
  TooMuchAssistance,
} from './assistance.errors.js';

type TextKind = 'summary' | 'topics' | 'headline';

const TEXT_KINDS: readonly TextKind[] = ['headline', 'summary', 'topics'];

/** What the enabled external apps offer. */
export interface Possibilities {
  readonly languages: readonly LanguagePair[];
  readonly detectsLanguages: boolean;
  readonly textKinds: readonly TextKind[];
  readonly transcribes: boolean;
}

const MOST_PER_USER = 20;
/** Attempts at one request; only a stop of the service leads to another one. */
const ATTEMPTS = 5;
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1000;

/**
 * Translations, texts and transcripts of articles by external apps. A request is a job that survives
 * restarts. The caller is held for a while and polls after that; the result is kept for everyone who
 * has the article.
 *
 * @see docs/decisions/0020-the-reader-pages.md
 */
@Injectable()
export class AssistanceService implements OnModuleDestroy, BeforeApplicationShutdown {
  /** How long a caller is held before the answer is 202. */
  patienceSeconds = 20;

  readonly #logger = new Logger('Assistance');
  readonly #finished = new EventEmitter().setMaxListeners(0);
  readonly #stop = new AbortController();
  /** Set before the dependencies of a running job begin to stop. */
  #isStopping = false;

  constructor(
    private readonly translation: Translation,
    private readonly texts: TextProcessing,
    private readonly speech: SpeechToText,
    private readonly users: UserDirectory,
    private readonly database: Database,
    private readonly jobs: JobQueue,
    private readonly requests: AssistanceRepository,
    private readonly assistant: ArticleAssistant,
  ) {
    jobs.carryOut(TEXT_JOBS, (job) => this.#carryOut(job));
    jobs.carryOut(TRANSCRIPT_JOBS, (job) => this.#carryOut(job));
  }

  async possibilities(): Promise<Possibilities> {
    const [languages, detectsLanguages, taskTypes, transcribes] = await Promise.all([
      this.translation.languages(),
      this.translation.detectsLanguages(),
      this.texts.taskTypes(),
      this.speech.available(),
    ]);
    const textKinds = TEXT_KINDS.filter((kind) => taskTypes.includes(kind));
    return { languages, detectsLanguages, textKinds, transcribes };
  }

  /**
   * Translates title and body: the text between the tags.
   *
   * @param from null to detect the language
   * @returns done, or still running after `patienceSeconds`
   * @throws ItemNotFound, NothingToWorkOn, NoAssistance, TooMuchAssistance, AssistanceFailed
   * @throws InvalidInput when both languages are the same
   */
  async translate(
    userId: string,
    itemId: number,
    { from, to }: { readonly from: string | null; readonly to: string },
  ): Promise<Assistance> {
    if (from === to) {
      throw new InvalidInput('The two languages of a translation must not be the same.');
    }
    return this.#request(userId, itemId, 'translation', `${from ?? ''}>${to}`, async () => {
      const languages = await this.translation.languages();
      const isOffered = languages.some(
        (pair) => pair.to === to && (from === null || pair.from === from),
      );
      return isOffered
        ? null
        : `No external app translates ${from === null ? '' : `from "${from}" `}to "${to}".`;
    });
  }

  /**
   * A summary, the topics or a headline.
   *
   * @returns done, or still running after `patienceSeconds`
   * @throws ItemNotFound, NothingToWorkOn, NoAssistance, TooMuchAssistance, AssistanceFailed
   */
  async describe(userId: string, itemId: number, kind: TextKind): Promise<Assistance> {
    return this.#request(userId, itemId, kind, '', async () =>
      (await this.texts.taskTypes()).includes(kind)
        ? null
        : `No external app offers this kind of text: ${kind}.`,
    );
  }

  /**
   * A transcript of an item's recording.
   *
   * @returns done, or still running after `patienceSeconds`
   * @throws ItemNotFound, NothingToWorkOn, NoAssistance, TooMuchAssistance, AssistanceFailed
   */
  async transcribe(userId: string, itemId: number): Promise<Assistance> {
    return this.#request(userId, itemId, 'transcript', '', async () =>
      (await this.speech.available()) ? null : 'No external app turns speech into text.',
    );
  }

  /**
   * The state of a request about one of the user's items, whoever made it.
   *
   * @throws ItemNotFound
   * @throws AssistanceNotFound
   */
  async find(userId: string, itemId: number, id: number): Promise<Assistance> {
    const { articleId } = await this.#articleOf(userId, itemId);
    const request = await this.requests.find(articleId, id);
    if (request === null) {
      throw new AssistanceNotFound(id);
    }
    return request;
  }

  onModuleDestroy(): void {
    this.#isStopping = true;
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  /** @param unavailable resolves to the reason when no external app offers it, else to null */
  async #request(
    userId: string,
    itemId: number,
    kind: AssistanceKind,
    languages: string,
    unavailable: () => Promise<string | null>,
  ): Promise<Assistance> {
    const article = await this.#articleOf(userId, itemId);
    const hash = inputHash(kind, article);
    const fullText = kind !== 'transcript' && article.fullText;
    const key = { articleId: article.articleId, kind, languages, fullText };
    const usable = await this.requests.usable(key, hash);
    if (usable !== null) {
      return this.#wait(key, usable);
    }
    const reason = await unavailable();
    if (reason !== null) {
      throw new NoAssistance(reason);
    }
    if ((await this.requests.running(userId)) >= MOST_PER_USER) {
      throw new TooMuchAssistance(MOST_PER_USER);
    }
    return this.#wait(key, await this.#begin(key, hash, userId));
  }

  async #begin(key: AssistanceKey, hash: Buffer, userId: string): Promise<Assistance> {
    const jobKind = key.kind === 'transcript' ? TRANSCRIPT_JOBS : TEXT_JOBS;
    const id = await this.database.transaction(async (tx) => {
      const begun = await this.requests.begin(tx, key, hash, userId);
      if (begun !== null) {
        await this.jobs.send(jobKind, [{ key: userId, payload: { assistanceId: begun } }], tx);
      }
      return begun;
    });
    this.jobs.wake(jobKind);
    const request =
      id === null
        ? await this.requests.usable(key, hash)
        : await this.requests.find(key.articleId, id);
    if (request === null) {
      throw new AssistanceFailed('The request was interrupted; try again.');
    }
    return request;
  }

  /** Woken when the job ends in this process; otherwise polls. */
  async #wait(key: AssistanceKey, begun: Assistance): Promise<Assistance> {
    const deadline = performance.now() + this.patienceSeconds * 1000;
    let request = begun;
    let pauseMs = FIRST_POLL_MS;
    while (request.state === 'running' && performance.now() < deadline) {
      await this.#pause(request.id, Math.min(pauseMs, deadline - performance.now()));
      pauseMs = Math.min(pauseMs * 2, LONGEST_POLL_MS);
      const now = await this.requests.find(key.articleId, request.id);
      if (now === null) {
        throw new AssistanceNotFound(request.id);
      }
      request = now;
      if (this.#stop.signal.aborted) {
        break;
      }
    }
    if (request.state === 'failed') {
      throw new AssistanceFailed(request.error ?? 'It failed for an unknown reason.');
    }
    return request;
  }

  async #pause(id: number, pauseMs: number): Promise<void> {
    const woken = new AbortController();
    const signal = AbortSignal.any([woken.signal, this.#stop.signal]);
    const finished = once(this.#finished, String(id), { signal });
    const patience = delay(pauseMs, undefined, { signal });
    // Both reject when the service stops; the loser rejects once `woken` is aborted.
    await Promise.race([finished, patience]).catch(() => {});
    woken.abort();
    await Promise.allSettled([finished, patience]);
  }

  async #carryOut({ payload, signal, attempt }: JobAttempt<AssistanceJob>): Promise<void> {
    const id = payload.assistanceId;
    const task = await this.requests.task(id);
    if (task === null) {
      return;
    }
    try {
      const account = await this.users.find(task.userId);
      const article = await this.requests.article(task.articleId, task.fullText);
      if (account === null || article === null) {
        throw new AssistanceFailed('The user or the article was removed.');
      }
      const hash = inputHash(task.kind, article);
      const result = await this.assistant.work(account, task, article, signal);
      await this.requests.finish(id, result, hash);
    } catch (error) {
      // Interrupted by a stop of the service: the next process repeats it.
      if ((this.#isStopping || signal.aborted) && attempt < ATTEMPTS) {
        throw error;
      }
      await this.requests.fail(id, this.#explain(id, error));
    }
    this.#finished.emit(String(id));
  }

  #explain(id: number, error: unknown): string {
    if (error instanceof DomainError) {
      return error.message;
    }
    this.#logger.error(`request ${id}: ${error instanceof Error ? error.stack : String(error)}`);
    return 'It failed for a reason that an administrator can find in the log.';
  }

  async #articleOf(userId: string, itemId: number): Promise<ArticleText> {
    const article = await this.requests.articleOf(userId, itemId);
    if (article === null) {
      throw new ItemNotFound(itemId);
    }
    return article;
  }
}
