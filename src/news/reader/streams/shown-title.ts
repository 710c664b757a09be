import { cutAt, textOfHtml } from '../../feed-parser/html/plain-text.js';
import type { StreamItem } from './stream.js';

/** Of the body, from which a title is made; enough for the words of one. */
const LOOKED_AT_CHARACTERS = 4000;
const LONGEST_MADE_TITLE = 80;

/** The title, or what stands in for it: some clients lose a whole page over an empty one. */
export function shownTitle({
  title,
  body,
  url,
}: Pick<StreamItem, 'title' | 'body' | 'url'>): string {
  return title?.trim() || firstWords(body) || (URL.parse(url ?? '')?.hostname ?? '') || 'Untitled';
}

function firstWords(html: string): string {
  const beginning = html.slice(0, LOOKED_AT_CHARACTERS);
  const lastTag = beginning.lastIndexOf('<');
  const isCut = lastTag > beginning.lastIndexOf('>');
  const text = textOfHtml(isCut ? beginning.slice(0, lastTag) : beginning);
  if (text.length <= LONGEST_MADE_TITLE) {
    return text;
  }
  const cut = cutAt(text, LONGEST_MADE_TITLE);
  const end = cut.lastIndexOf(' ');
  return `${end > 0 ? cut.slice(0, end) : cut}…`;
}
