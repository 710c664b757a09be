import { createHash } from 'node:crypto';
import { cutAt, textOfHtml } from '../feed-parser/html/plain-text.js';
import { NothingToWorkOn } from './assistance.errors.js';
import type { ArticleText, AssistanceKind } from './assistance.repository.js';
import { isSound } from './fetch-recording.service.js';

/** Fits the context of home servers' language models. */
const LONGEST_PROMPT_CHARACTERS = 20_000;

/** Longer translations take too long. */
const LONGEST_TRANSLATED_CHARACTERS = 100_000;

/**
 * A hash of the input of a request; a different one means that the article has changed.
 *
 * @throws NothingToWorkOn
 */
export function inputHash(kind: AssistanceKind, article: ArticleText): Buffer {
  if (kind === 'title') {
    return titleHash(article.title ?? '');
  }
  const input = kind === 'transcript' ? recordingOf(article).url : checkedText(kind, article);
  return createHash('sha256').update(JSON.stringify(input)).digest();
}

/** Like `inputHash`, for a title alone. */
export function titleHash(title: string): Buffer {
  return createHash('sha256').update(JSON.stringify(title)).digest();
}

/**
 * Title and text without markup, truncated.
 *
 * @throws NothingToWorkOn
 */
export function promptOf(article: ArticleText): string {
  return cutAt(plainText(article), LONGEST_PROMPT_CHARACTERS);
}

/** @throws NothingToWorkOn for an item without an audio enclosure */
export function recordingOf({ enclosureLink, enclosureMime }: ArticleText): {
  readonly url: string;
  readonly mime: string | null;
} {
  if (enclosureLink === null || !isSound(enclosureMime)) {
    throw new NothingToWorkOn('This item has no recording.');
  }
  return { url: enclosureLink, mime: enclosureMime };
}

function checkedText(kind: AssistanceKind, article: ArticleText): readonly (string | null)[] {
  const { length } = plainText(article);
  if (kind === 'translation' && length > LONGEST_TRANSLATED_CHARACTERS) {
    throw new NothingToWorkOn(
      `This item is too long to be translated: its text has more than ` +
        `${LONGEST_TRANSLATED_CHARACTERS} characters.`,
    );
  }
  return [article.title, article.html];
}

function plainText({ title, html }: ArticleText): string {
  const text = [title ?? '', textOfHtml(html)].filter((part) => part !== '').join('\n\n');
  if (!/\p{L}/u.test(text)) {
    throw new NothingToWorkOn('This item has no text.');
  }
  return text;
}
