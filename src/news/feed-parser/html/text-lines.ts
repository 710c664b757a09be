import { escapeAttribute, escapeHtml } from './character-references.js';

const ADDRESS = /https?:\/\/[^\s<>"'“”«»`]{3,2000}/gi;

/** More likely the sentence's than the address's. */
const PUNCTUATION = /[.,:;!?)\]}…]$/;

const MOST_LINKS = 500;

/** HTML of a plain text: its lines are kept, its addresses become links. Not yet sanitised. */
export function htmlOfText(text: string): string {
  return linked(text)
    .replace(/(?:(?<![^\S\n\r])[^\S\n\r]+)?(?:\r\n?|\n)[^\S\n\r]*/g, '<br>\n')
    .replace(/(?:<br>\n){3,}/g, '<br>\n<br>\n');
}

function linked(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  let links = 0;
  for (const { index, 0: found } of text.matchAll(ADDRESS)) {
    links += 1;
    const address = withoutPunctuation(found);
    if (links > MOST_LINKS || !URL.canParse(address)) {
      continue;
    }
    pieces.push(
      escapeHtml(text.slice(from, index)),
      `<a href="${escapeAttribute(address)}">${escapeHtml(address)}</a>`,
    );
    from = index + address.length;
  }
  pieces.push(escapeHtml(text.slice(from)));
  return pieces.join('');
}

/** A closing bracket belongs to the address if it was opened there, as on Wikipedia. */
function withoutPunctuation(found: string): string {
  let address = found;
  while (PUNCTUATION.test(address)) {
    if (address.endsWith(')') && address.split('(').length >= address.split(')').length) {
      break;
    }
    address = address.slice(0, -1);
  }
  return address;
}
