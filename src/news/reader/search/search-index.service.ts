import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Turns } from '../../../common/turns.js';
import { BackgroundTasks } from '../../../database/background-tasks.js';
import { tokensOf } from '../../query/tokens.js';
import { categoriesOf, queriedText } from '../items/queried-article.js';
import { addressToken, pageKey } from './address-token.js';
import {
  SearchIndexRepository,
  type ArticleTokens,
  type IndexedTexts,
  type SourceBehind,
} from './search-index.repository.js';
import { ANY_WORD, quoted } from './token-text.js';

const SOURCES_AT_A_TIME = 50;
/** Few enough that their bodies take little memory. */
const ARTICLES_AT_A_TIME = 50;

const LONGEST_PAUSE_MS = 500;

/** Far below the largest tsvector. */
const MOST_TOKEN_BYTES = 900_000;

/** Keeps the words of articles in the index, in the background. */
@Injectable()
export class SearchIndex implements BeforeApplicationShutdown {
  /** In which articles are indexed while there are many: everything else comes first. */
  shareOfTime = 0.5;
  readonly #logger = new Logger('Search');
  readonly #tasks = new BackgroundTasks(this.#logger);

  constructor(private readonly articles: SearchIndexRepository) {}

  /** Indexes all new or changed articles, in small steps. Safe to run concurrently. */
  async indexPending(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const sources = await this.articles.sourcesBehind(SOURCES_AT_A_TIME);
      await this.#indexAll(sources, signal);
      if (sources.length < SOURCES_AT_A_TIME || signal?.aborted === true) {
        return;
      }
    }
  }

  /** Begins with these sources, whose reader searches, unless this process does so for others. Does not wait. */
  hasten(sources: readonly SourceBehind[]): void {
    void this.#tasks.run('indexing for a search', (signal) => this.#indexAll(sources, signal));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }

  async #indexAll(sources: readonly SourceBehind[], signal?: AbortSignal): Promise<void> {
    for (const source of sources) {
      let after: number | null = FIRST_ID;
      while (after !== null) {
        if (signal?.aborted === true) {
          return;
        }
        after = await this.#indexBatch(source, after);
      }
      await this.articles.noteIndexed(source);
      this.#logger.debug(`source ${source.id}: indexed up to revision ${source.rev}`);
    }
  }

  /** @returns the last article's id; null when there are no more */
  async #indexBatch(source: SourceBehind, after: number): Promise<number | null> {
    const beganAt = performance.now();
    const texts = await this.articles.textsOf(source, after, ARTICLES_AT_A_TIME);
    if (texts.length > 0) {
      const tokens = await new Turns().map(texts, toTokens);
      await this.articles.write(source.id, tokens);
    }
    if (texts.length < ARTICLES_AT_A_TIME) {
      return null;
    }
    const tookMs = performance.now() - beganAt;
    await delay(Math.min(LONGEST_PAUSE_MS, tookMs / this.shareOfTime - tookMs));
    return texts.at(-1)?.id ?? null;
  }
}

/** Articles of an imported history may have ids below zero. */
const FIRST_ID = Number.MIN_SAFE_INTEGER;

function toTokens(article: IndexedTexts): ArticleTokens {
  const { id, url, title, author, extras, html, fullTextHtml, rev, fullTextRev } = article;
  const texts = [
    title,
    author,
    ...categoriesOf(extras),
    ...[html, fullTextHtml].map((body) => queriedText(body ?? '')),
  ];
  const tokens = new Set(texts.flatMap((text) => tokensOf(text ?? '')));
  const key = pageKey(url ?? '');
  const place = key === null ? '' : ` ${quoted(addressToken(key))}`;
  const written = Array.from(tokens, quoted).join(' ');
  const isWhole = Buffer.byteLength(written) <= MOST_TOKEN_BYTES;
  return {
    articleId: id,
    rev,
    fullTextRev,
    tokens: (isWhole ? written : quoted(ANY_WORD)) + place,
    isExact: isWhole && fullTextHtml === null,
  };
}
