import { DomUtils, ElementType, parseDocument } from 'htmlparser2';

/** The texts of an HTML fragment in document order, and a function that replaces them. */
interface TextPieces {
  /** Trimmed, on one line each; only those with letters. */
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
