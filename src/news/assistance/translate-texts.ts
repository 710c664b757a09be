import { DomUtils, ElementType, parseDocument } from 'htmlparser2';
import { AssistanceFailed } from './assistance.errors.js';

/** Size of a call: enough context for the translator, but fast. */
const BATCH_CHARACTERS = 3000;
const BATCH_LINES = 40;

/** A translator that never preserves lines would be called for each text separately. */
const MOST_CALLS = 150;

/**
 * Translates texts of one line each in batches, a text per line, since translators nearly always
 * preserve line ends. If the number of lines differs afterwards, the lines cannot be matched and the
 * batch is translated again in halves.
 *
 * @param texts without line ends, none of them empty
 * @param translate one text, which may have several lines
 * @throws AssistanceFailed for an empty translation, or after too many calls
 */
export async function translateTexts(
  texts: readonly string[],
  translate: (text: string) => Promise<string>,
): Promise<string[]> {
  let calls = 0;
  const translateBatch = async (batch: readonly string[]): Promise<string[]> => {
    calls += 1;
    if (calls > MOST_CALLS) {
      throw new AssistanceFailed(
        'The translation was given up: the provider does not keep the lines of a text apart.',
      );
    }
    const lines = linesOf(await translate(batch.join('\n')));
    if (lines.length === batch.length) {
      return lines;
    }
    if (batch.length > 1) {
      const middle = Math.ceil(batch.length / 2);
      const first = await translateBatch(batch.slice(0, middle));
      return [...first, ...(await translateBatch(batch.slice(middle)))];
    }
    if (lines.length === 0) {
      throw new AssistanceFailed('The provider sent an empty translation.');
    }
    return [lines.join(' ')];
  };

  const translated: string[] = [];
  for (const batch of batchesOf(texts)) {
    translated.push(...(await translateBatch(batch)));
  }
  return translated;
}

function linesOf(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const batch = batches.at(-1);
    characters += text.length;
    if (batch === undefined || batch.length >= BATCH_LINES || characters > BATCH_CHARACTERS) {
      batches.push([text]);
      characters = text.length;
    } else {
      batch.push(text);
    }
  }
  return batches;
}

/** The texts of an HTML fragment in document order, and a function that replaces them. */
interface TextPieces {
  /** Trimmed single lines that contain letters. */
  readonly texts: readonly string[];
  /** @param texts one for each of `texts`; escaped */
  replacedWith(texts: readonly string[]): string;
}

type Node = ReturnType<typeof parseDocument>['children'][number];
type TextNode = Extract<Node, { readonly type: typeof ElementType.Text }>;

/** Their contents are for machines. */
const NOT_TRANSLATED = new Set(['code', 'kbd', 'pre', 'samp', 'script', 'style', 'tt', 'var']);

/** @param html cleaned, and therefore of limited depth */
export function textPieces(html: string): TextPieces {
  const document = parseDocument(html);
  const nodes = wordsIn(document.children);
  return {
    texts: nodes.map(({ data }) => data.replace(/\s+/g, ' ').trim()),
    replacedWith: (texts) => {
      nodes.forEach((node, place) => {
        const [before = '', after = ''] = spacesAround(node.data);
        node.data = `${before}${texts[place] ?? node.data.trim()}${after}`;
      });
      return DomUtils.getInnerHTML(document, { encodeEntities: 'utf8' });
    },
  };
}

function wordsIn(nodes: readonly Node[]): TextNode[] {
  return nodes.flatMap((node) => {
    if (node.type === ElementType.Text) {
      return /\p{L}/u.test(node.data) ? [node] : [];
    }
    if (node.type === ElementType.Tag && !NOT_TRANSLATED.has(node.name)) {
      return wordsIn(node.children);
    }
    return [];
  });
}

/** The spaces that separate the text from its neighbours. */
function spacesAround(text: string): [string, string] {
  const before = text.length - text.trimStart().length;
  const after = text.trimEnd().length;
  return [text.slice(0, before), text.slice(after)];
}
