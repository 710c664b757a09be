import { Turns } from '../../../common/turns.js';
import type { NamedHighlight } from './highlights.service.js';

/**
 * Writes highlights as one Markdown document, in pieces: a chapter for each article, its passages as quotations,
 * notes below them as they were written.
 *
 * @param batches by article
 */
export async function* writeMarkdown(
  batches: AsyncIterable<readonly NamedHighlight[]>,
): AsyncGenerator<string[], void, undefined> {
  const turns = new Turns();
  let itemId: number | null = null;
  yield ['# Highlights\n'];
  for await (const batch of batches) {
    const pieces: string[] = [];
    for (const highlight of batch) {
      if (highlight.itemId !== itemId) {
        pieces.push(chapterOf(highlight));
        itemId = highlight.itemId;
      }
      pieces.push(
        highlight.exact === '' ? '' : `\n${quoted(highlight.exact)}\n`,
        highlight.note === null ? '' : `\n${highlight.note}\n`,
      );
      await turns.take();
    }
    yield pieces;
  }
}

function chapterOf({ title, url, feedTitle, author, pubDate }: NamedHighlight): string {
  const name = escaped(title?.trim() || url || 'Untitled');
  const link =
    url !== null && /^https?:/i.test(url)
      ? `[${name}](<${url.replace(/[<>\s\\]/g, encodeURIComponent)}>)`
      : name;
  const day = new Date(pubDate * 1000).toISOString().slice(0, 10);
  const from = [feedTitle, author ?? '', day].filter(Boolean).map(escaped);
  return `\n## ${link}\n\n${from.join(' · ')}\n`;
}

const quoted = (text: string) =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `> ${escaped(line)}`.trimEnd())
    .join('\n');

/** Text that Markdown shows as it is, in one line. */
const escaped = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>#&|~$]/g, String.raw`\$&`)
    .replace(/^( ?)([-+=]|\d+[.)])/, String.raw`$1\$2`);
