import { decodeDocument } from '../../feed-parser/charset/decode-document.js';
import type { Found } from './found-row.js';
import type { ZipContents } from './zip-contents.js';

const LARGEST_TEXT_BYTES = 4 * 1024 ** 2;

/** Articles with their texts and highlights, which are files of their own, named by slug. */
export async function* withTextsOfOmnivore(
  rows: AsyncIterable<Found>,
  { files }: ZipContents,
): AsyncGenerator<Found> {
  const byEnd = new Map(
    files.flatMap((file) => {
      const end = /(?:^|\/)((?:content|highlights)\/[^/]+)$/.exec(file.name)?.[1];
      return end === undefined ? [] : [[end, file] as const];
    }),
  );
  const textOf = async (name: string): Promise<string | null> => {
    const bytes = await byEnd.get(name)?.whole(LARGEST_TEXT_BYTES);
    return bytes ? decodeDocument({ bytes, contentType: null, url: '' }) : (bytes ?? '');
  };
  for await (const found of rows) {
    const slug = 'row' in found ? found.row.slug : undefined;
    if (!('row' in found) || typeof slug !== 'string') {
      yield found;
      continue;
    }
    const body = await textOf(`content/${slug}.html`);
    const highlights = highlightsIn((await textOf(`highlights/${slug}.md`)) ?? '');
    yield { at: found.at, row: { ...found.row, body, highlights } };
  }
}

/** Quotes of Markdown, each with the note below it. */
export function highlightsIn(markdown: string): readonly { text: string; note: string }[] {
  const pieces = markdown.split(/^(?=>)(?<!^>.*\n)/m);
  return pieces.flatMap((piece) => {
    const lines = piece.split('\n');
    const quoted = lines.filter((line) => line.startsWith('>'));
    const text = quoted.map((line) => line.replace(/^> ?/, '')).join('\n');
    const note = lines.filter((line) => !line.startsWith('>')).join('\n');
    return text.trim() === '' ? [] : { text, note };
  });
}
