import { decodeReferences } from '../../feed-parser/html/character-references.js';
import { cutAt, textOfHtml } from '../../feed-parser/html/plain-text.js';

/** Characters of an article's HTML used for its row. */
export const OPENING_CHARACTERS = 3000;

/** Suffices for the widest row, and for the title of an article without one. */
const SNIPPET_CHARACTERS = 220;

/** Bytes of text that are read in a minute: 230 words of Latin script, 500 characters of Chinese. */
const BYTES_PER_MINUTE = 1450;

/** Smaller pictures are icons, emoji and counters. */
const SMALLEST_PIXELS = 48;

/** The readable text of the beginning of an article. */
export function openingText(opening: string): string {
  // The cut may be within a tag, a reference, or the source of a formula, which readers do not see.
  const shown = opening.replace(
    /<(annotation(?:-xml)?)\b[^>]*>[^]*?(?:<\/\1\s*>|$)|<[^>]*$|&#?\w{0,30}$/gi,
    '',
  );
  return withoutMarkdown(textOfHtml(shown));
}

/** Marks that are unmistakable: publishers of plain text write Markdown, which is not drawn in a row. */
function withoutMarkdown(text: string): string {
  return text
    .replace(/!\[([^[\]]{0,200})\]\([^()\s]{1,500}\)/g, '$1')
    .replace(/\[([^[\]]{1,200})\]\((?:https?:|\/)[^()\s]{1,500}\)/g, '$1')
    .replace(/(?<=^|\s)#{2,6}\s+(?=\S)|^#\s+(?=\S)/g, '')
    .replace(/(\*\*|~~|`)(?=\S)([^*_~`]{1,200})(?<=\S)\1/g, '$2')
    .trim();
}

/** The opening words. */
export function snippetOf(text: string): string {
  if (text.length <= SNIPPET_CHARACTERS) {
    return text;
  }
  return `${cutAt(text, SNIPPET_CHARACTERS).replace(/\s+\S{0,20}$/, '')}…`;
}

/**
 * Minutes to read an article, estimated from its size and the share of text in its opening; 0 for
 * less than half a minute.
 *
 * @param bytes of the article's HTML
 */
export function readingMinutes(opening: string, text: string, bytes: number): number {
  const share = opening === '' ? 0 : Buffer.byteLength(text) / Buffer.byteLength(opening);
  return Math.round((bytes * share) / BYTES_PER_MINUTE);
}

/** Address of the first usable picture; null if there is none. */
export function firstPicture(opening: string): string | null {
  for (const [tag] of opening.matchAll(/<img\b[^>]*>/gi)) {
    const address = attributeOf(tag, 'src');
    const isSmall = ['width', 'height'].some((name) => {
      const pixels = Number.parseInt(attributeOf(tag, name) ?? '', 10);
      return pixels < SMALLEST_PIXELS;
    });
    if (address !== null && !isSmall && isWebAddress(address)) {
      return address;
    }
  }
  return null;
}

export function isWebAddress(address: string): boolean {
  return /^https?:\/\//i.test(address);
}

function attributeOf(tag: string, name: string): string | null {
  const value = new RegExp(`\\s${name}="([^"]*)"`, 'i').exec(tag)?.[1];
  return value === undefined ? null : decodeReferences(value);
}
