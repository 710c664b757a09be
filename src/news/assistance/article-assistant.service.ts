import { Injectable } from '@nestjs/common';
import type { Patience } from '../../common/ports/patience.js';
import { SpeechToTextOffer } from '../../common/ports/speech-to-text.js';
import { TextProcessingOffer } from '../../common/ports/text-processing.js';
import { TranslationOffer } from '../../common/ports/translation.js';
import type { Account } from '../../common/ports/user-directory.js';
import { cleanHtml } from '../feed-parser/html/clean-html.js';
import { cutAt, onOneLine, withoutTags } from '../feed-parser/html/plain-text.js';
import { promptOf, recordingOf } from './article-input.js';
import { AssistanceFailed } from './assistance.errors.js';
import type { ArticleText, AssistanceResult, AssistanceTask } from './assistance.repository.js';
import { RecordingFetcher } from './fetch-recording.service.js';
import { textPieces, translateTexts } from './translate-texts.js';

const TRANSCRIPTION_SECONDS = 3600;
/** Limit for one text, or one batch of a translation; language models of home servers are slow. */
const TEXT_SECONDS = 1800;
const LONGEST_TITLE_CHARACTERS = 1000;
const LONGEST_TEXT_CHARACTERS = 1_000_000;

/** Progress and cancellation of the work. */
type Watch = Required<Pick<Patience, 'signal' | 'onProgress'>>;

/** Base for articles without an address. Addresses inside articles are absolute already. */
const NO_BASE = 'https://invalid/';

/** Sends articles to external apps. Their results are untrusted: plain text, or cleaned HTML. */
@Injectable()
export class ArticleAssistant {
  constructor(
    private readonly translation: TranslationOffer,
    private readonly texts: TextProcessingOffer,
    private readonly speech: SpeechToTextOffer,
    private readonly recordings: RecordingFetcher,
  ) {}

  /**
   * Waits for the result.
   *
   * @throws DomainError with the cause; the reason of `watch.signal`
   */
  async work(
    account: Account,
    task: AssistanceTask,
    article: ArticleText,
    watch: Watch,
  ): Promise<AssistanceResult> {
    switch (task.kind) {
      case 'translation':
        return this.#translate(account, task.languages, article, watch);
      case 'title': {
        const [, to = ''] = task.languages.split('>');
        const title = article.title ?? '';
        const [translated = ''] = await this.translateTitles(account, to, [title], watch.signal);
        return { title: translated, of: title };
      }
      case 'transcript':
        return this.#transcribe(account, article, watch);
      case 'answer':
        throw new AssistanceFailed('Questions are asked by rules.');
      default: {
        const patience = { ...watch, maxSeconds: TEXT_SECONDS };
        const prompt = promptOf(article);
        return asText(await this.texts.required.processText(account, task.kind, prompt, patience));
      }
    }
  }

  /**
   * Translates titles, many at a time.
   *
   * @param before called before each task; its error ends the work
   * @returns one line each, without markup
   * @throws as `work`
   */
  async translateTitles(
    account: Account,
    to: string,
    titles: readonly string[],
    signal: AbortSignal,
    before: () => Promise<void> = async () => {},
  ): Promise<string[]> {
    const translated = await translateTexts(titles.map(onOneLine), async (text) => {
      signal.throwIfAborted();
      await before();
      const request = { text, from: null, to };
      const patience = { signal, maxSeconds: TEXT_SECONDS };
      return (await this.translation.required.translate(account, request, patience)).text;
    });
    return translated.map(asTitle);
  }

  async #translate(
    account: Account,
    languages: string,
    article: ArticleText,
    { signal, onProgress }: Watch,
  ): Promise<AssistanceResult> {
    const [given = '', to = ''] = languages.split('>');
    let from = given === '' ? null : given;
    const title = onOneLine(article.title ?? '');
    const body = textPieces(article.html);
    const hasTitle = /\p{L}/u.test(title);
    const texts = hasTitle ? [title, ...body.texts] : body.texts;
    const characters = texts.reduce((sum, text) => sum + text.length + 1, 0);
    let done = 0;
    const translated = await translateTexts(texts, async (text) => {
      signal.throwIfAborted();
      const result = await this.translation.required.translate(
        account,
        { text, from, to },
        {
          signal,
          maxSeconds: TEXT_SECONDS,
          onProgress: (share) => onProgress((done + share * text.length) / characters),
        },
      );
      done += text.length + 1;
      onProgress(done / characters);
      // Detected once: the rest is in the same language.
      from ??= result.from;
      return result.text;
    });
    return {
      title: hasTitle ? asTitle(translated[0] ?? '') : title,
      body: cleanHtml(
        body.replacedWith(hasTitle ? translated.slice(1) : translated),
        article.url ?? NO_BASE,
      ),
      from,
      to,
    };
  }

  async #transcribe(
    account: Account,
    article: ArticleText,
    watch: Watch,
  ): Promise<AssistanceResult> {
    const { url, mime } = recordingOf(article);
    const recording = await this.recordings.fetch(url, mime, watch.signal);
    const patience = { ...watch, maxSeconds: TRANSCRIPTION_SECONDS };
    return asText(await this.speech.required.transcribe(account, recording, patience));
  }
}

function asTitle(given: string): string {
  return cutAt(withoutTags(onOneLine(given.replaceAll('\0', ''))), LONGEST_TITLE_CHARACTERS);
}

function asText(given: string): AssistanceResult {
  // PostgreSQL cannot store null characters.
  const text = cutAt(given.replaceAll('\0', '').trim(), LONGEST_TEXT_CHARACTERS);
  if (text === '') {
    throw new AssistanceFailed('The provider sent an empty result.');
  }
  return { text };
}
