import { Injectable } from '@nestjs/common';
import { InvalidInput } from '../../common/errors/domain-error.js';
import { SpeechToTextOffer } from '../../common/ports/speech-to-text.js';
import { TextProcessingOffer } from '../../common/ports/text-processing.js';
import { TranslationOffer, type LanguagePair } from '../../common/ports/translation.js';
import { Database } from '../../database/database.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { ItemNotFound } from '../news.errors.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import type { TextKind } from '../tables/assistance.entity.js';
import { RetentionService } from '../updater/retention.service.js';
import { inputHash } from './article-input.js';
import { TEXT_JOBS, TRANSCRIPT_JOBS, AssistanceWork } from './assistance-work.task.js';
import {
  AssistanceFailed,
  AssistanceNotFound,
  NoAssistance,
  NotYourRequest,
  TooMuchAssistance,
} from './assistance.errors.js';
import {
  AssistanceRepository,
  type ArticleText,
  type Assistance,
  type AssistanceKey,
} from './assistance.repository.js';

const TEXT_KINDS: readonly TextKind[] = ['headline', 'summary', 'topics'];

/** The assistance that enabled external apps offer. */
export interface Possibilities {
  readonly languages: readonly LanguagePair[];
  readonly detectsLanguages: boolean;
  readonly textKinds: readonly TextKind[];
  readonly transcribes: boolean;
}

/** How long results (translations, summaries, transcripts) are kept. */
const KEEP_DAYS = 90;

const MOST_PER_USER = 20;
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1000;

/**
 * Translations, texts and transcripts of articles by external apps. A request is a job that survives
 * restarts. The caller waits for some time, then polls; the result is shared by all users with the article.
 *
 * @see docs/decisions/0020-the-reader-pages.md
 */
@Injectable()
export class AssistanceService {
  /** Maximum wait of a caller before the answer 202. */
  patienceSeconds = 20;

  constructor(
    private readonly translation: TranslationOffer,
    private readonly texts: TextProcessingOffer,
    private readonly speech: SpeechToTextOffer,
    private readonly database: Database,
    private readonly jobs: JobQueue,
    private readonly requests: AssistanceRepository,
    private readonly work: AssistanceWork,
    retention: RetentionService,
  ) {
    retention.onCleanUp(() => this.requests.forgetFinishedBefore(KEEP_DAYS));
  }

  async possibilities(): Promise<Possibilities> {
    const [languages, detectsLanguages, taskTypes, transcribes] = await Promise.all([
      this.translation.required.languages(),
      this.translation.required.detectsLanguages(),
      this.texts.required.taskTypes(),
      this.speech.required.available(),
    ]);
    const textKinds = TEXT_KINDS.filter((kind) => taskTypes.includes(kind));
    return { languages, detectsLanguages, textKinds, transcribes };
  }

  /**
   * Translates title and body: the text between the tags.
   *
   * @param from null to detect the language
   * @param waitSeconds at most; default: `patienceSeconds`
   * @returns done, or still running after that time
   * @throws ItemNotFound, NothingToWorkOn, NoAssistance, TooMuchAssistance, AssistanceFailed
   * @throws InvalidInput when both languages are the same
   */
  async translate(
    reader: Reader,
    itemId: number,
    { from, to }: { readonly from: string | null; readonly to: string },
    waitSeconds?: number,
  ): Promise<Assistance> {
    if (from === to) {
      throw new InvalidInput('The two languages of a translation must not be the same.');
    }
    const wanted = { kind: 'translation', languages: `${from ?? ''}>${to}` } as const;
    return this.#request(reader, itemId, wanted, waitSeconds, async () => {
      const isOffered = await this.translation.required.translates(from, to);
      return isOffered
        ? null
        : `No external app translates ${from === null ? '' : `from "${from}" `}to "${to}".`;
    });
  }

  /**
   * A summary, the topics or a headline.
   *
   * @param waitSeconds at most; default: `patienceSeconds`
   * @returns done, or still running after that time
   * @throws ItemNotFound, NothingToWorkOn, NoAssistance, TooMuchAssistance, AssistanceFailed
   */
  async describe(
    reader: Reader,
    itemId: number,
    kind: TextKind,
    waitSeconds?: number,
  ): Promise<Assistance> {
    return this.#request(reader, itemId, { kind, languages: '' }, waitSeconds, async () =>
      (await this.texts.required.taskTypes()).includes(kind)
        ? null
        : `No external app offers this kind of text: ${kind}.`,
    );
  }

  /**
   * A transcript of an item's recording.
   *
   * @param waitSeconds at most; default: `patienceSeconds`
   * @returns done, or still running after that time
   * @throws ItemNotFound, NothingToWorkOn, NoAssistance, TooMuchAssistance, AssistanceFailed
   */
  async transcribe(reader: Reader, itemId: number, waitSeconds?: number): Promise<Assistance> {
    const wanted = { kind: 'transcript', languages: '' } as const;
    return this.#request(reader, itemId, wanted, waitSeconds, async () =>
      (await this.speech.required.available()) ? null : 'No external app turns speech into text.',
    );
  }

  /**
   * The state of a request about one of the user's items, also of another user's request.
   *
   * @throws ItemNotFound
   * @throws AssistanceNotFound
   */
  async find(reader: Reader, itemId: number, id: number): Promise<Assistance> {
    const { articleId } = await this.#articleOf(reader, itemId);
    return AssistanceNotFound.unless(await this.requests.find(articleId, id), id);
  }

  /**
   * Cancels a request that the user made, and the work of the external app. No-op if it has ended.
   *
   * @returns the request as it is now
   * @throws ItemNotFound, AssistanceNotFound
   * @throws NotYourRequest while it is running for another user
   */
  async cancel(reader: Reader, itemId: number, id: number): Promise<Assistance> {
    await this.find(reader, itemId, id);
    await this.work.cancel(reader.userId, id);
    const request = await this.find(reader, itemId, id);
    if (request.state === 'running') {
      throw new NotYourRequest();
    }
    return request;
  }

  /** @param unavailable resolves to the reason when no external app offers it, else to null */
  async #request(
    reader: Reader,
    itemId: number,
    { kind, languages }: Pick<AssistanceKey, 'kind' | 'languages'>,
    waitSeconds: number | undefined,
    unavailable: () => Promise<string | null>,
  ): Promise<Assistance> {
    const waitMs = Math.min(waitSeconds ?? this.patienceSeconds, this.patienceSeconds) * 1000;
    const article = await this.#articleOf(reader, itemId);
    const hash = inputHash(kind, article);
    const fullText = kind !== 'transcript' && article.fullText;
    const { articleId, sourceId } = article;
    const key = { articleId, sourceId, kind, languages, fullText };
    const usable = await this.requests.usable(key, hash);
    if (usable !== null) {
      return this.#wait(key, usable, waitMs);
    }
    const reason = await unavailable();
    if (reason !== null) {
      throw new NoAssistance(reason);
    }
    if ((await this.requests.running(reader.userId)) >= MOST_PER_USER) {
      throw new TooMuchAssistance(MOST_PER_USER);
    }
    return this.#wait(key, await this.#begin(key, hash, reader.userId), waitMs);
  }

  async #begin(key: AssistanceKey, hash: Buffer, userId: string): Promise<Assistance> {
    const jobKind = key.kind === 'transcript' ? TRANSCRIPT_JOBS : TEXT_JOBS;
    const id = await this.database.transaction(async (tx) => {
      const begun = await this.requests.begin(key, hash, userId, false, tx);
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
  async #wait(key: AssistanceKey, begun: Assistance, waitMs: number): Promise<Assistance> {
    const deadline = performance.now() + waitMs;
    let request = begun;
    let pauseMs = FIRST_POLL_MS;
    while (request.state === 'running' && performance.now() < deadline) {
      await this.work.pauseUntilEnd(request.id, Math.min(pauseMs, deadline - performance.now()));
      pauseMs = Math.min(pauseMs * 2, LONGEST_POLL_MS);
      const now = await this.requests.find(key.articleId, request.id);
      if (now === null) {
        throw new AssistanceNotFound(request.id);
      }
      request = now;
      if (this.work.isOver) {
        break;
      }
    }
    if (request.state === 'failed') {
      throw new AssistanceFailed(request.error ?? 'It failed for an unknown reason.');
    }
    return request;
  }

  async #articleOf(reader: Reader, itemId: number): Promise<ArticleText> {
    return ItemNotFound.unless(await this.requests.articleOf(reader.id, itemId), itemId);
  }
}
