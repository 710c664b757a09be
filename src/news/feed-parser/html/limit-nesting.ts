import { words } from '../words.js';
import { TagScanner } from './tag-scanner.js';

const VOID = new Set(
  words(`
  area base basefont br col command embed frame hr img input isindex keygen link meta param source track
  wbr`),
);

/** Elements that a start tag closes implicitly, as in `htmlparser2`. */
const ENDED_BY_NEXT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...'address article aside blockquote details div dl fieldset figcaption figure footer form header hr main nav ol p pre section table ul'
    .split(' ')
    .map((name) => [name, new Set(['p'])] as const),
  ['li', new Set(['li'])],
  ['tr', new Set(['tr', 'th', 'td'])],
  ['td', new Set(['th', 'td'])],
  ['th', new Set(['th'])],
  ['dd', new Set(['dd', 'dt'])],
  ['dt', new Set(['dd', 'dt'])],
  ['a', new Set(['a'])],
  ['option', new Set(['option'])],
]);

/**
 * Removes the tags, but not the text, of elements nested deeper than `deepest` and after the first
 * `mostTags`. The parsers that follow take quadratic time in the depth.
 */
export function limitNesting(html: string, deepest: number, mostTags: number): string {
  if (!hasMoreStartTagsThan(html, deepest)) {
    return html;
  }
  const scanner = new TagScanner(html);
  const pieces: string[] = [];
  const open: string[] = [];
  const openCounts = new Map<string, number>();
  const dropped = new Map<string, number>();
  let tags = 0;
  let from = 0;
  let at = scanner.find('<', 0);

  const pop = (): string | undefined => {
    const name = open.pop();
    if (name !== undefined) {
      openCounts.set(name, (openCounts.get(name) ?? 1) - 1);
    }
    return name;
  };
  const drop = (start: number, end: number): void => {
    pieces.push(html.slice(from, start));
    from = end;
  };

  while (at !== -1) {
    let end = at + 1;
    const next = html.charAt(at + 1);
    if (next === '!' || next === '?') {
      const close = html.startsWith('<!--', at) ? '-->' : '>';
      const found = scanner.find(close, at + 2);
      end = found === -1 ? html.length : found + close.length;
    } else if (next === '/') {
      const tag = scanner.endTag(at);
      end = tag.end;
      const droppedBefore = dropped.get(tag.name) ?? 0;
      if (droppedBefore > 0) {
        dropped.set(tag.name, droppedBefore - 1);
        drop(at, end);
      } else if (openCounts.get(tag.name)) {
        while (pop() !== tag.name) {}
      }
    } else if (scanner.startsNameAt(at + 1)) {
      const tag = scanner.startTag(at);
      end = tag.end;
      const ended = ENDED_BY_NEXT.get(tag.name);
      while (ended?.has(open.at(-1) ?? '')) {
        pop();
      }
      tags += 1;
      if (tag.selfClosing || VOID.has(tag.name)) {
        if (tags > mostTags) {
          drop(at, end);
        }
      } else {
        if (open.length >= deepest || tags > mostTags) {
          dropped.set(tag.name, (dropped.get(tag.name) ?? 0) + 1);
          drop(at, end);
        } else {
          open.push(tag.name);
          openCounts.set(tag.name, (openCounts.get(tag.name) ?? 0) + 1);
        }
      }
    }
    at = scanner.find('<', end);
  }
  if (from === 0) {
    return html;
  }
  pieces.push(html.slice(from));
  return pieces.join('');
}

function hasMoreStartTagsThan(html: string, count: number): boolean {
  let seen = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) {
    seen += html.charAt(at + 1) === '/' ? 0 : 1;
    if (seen > count) {
      return true;
    }
  }
  return false;
}
