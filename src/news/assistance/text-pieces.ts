import { DomUtils, ElementType, parseDocument } from 'htmlparser2';

/** The texts of some HTML, in the order of the page, and the way to put others in their place. */
export interface TextPieces {
  /** On one line each, without spaces around them; only such as hold words. */
  readonly texts: readonly string[];
  /** @param texts one for each of `texts`; taken as text, whatever they hold */
  replacedWith(texts: readonly string[]): string;
}

type Node = ReturnType<typeof parseDocument>['children'][number];
type TextNode = Extract<Node, { readonly type: typeof ElementType.Text }>;

/** What these hold means something to a machine. */
const NOT_FOR_READERS = new Set(['code', 'kbd', 'pre', 'samp', 'script', 'style', 'tt', 'var']);

/** @param html of our own, and so of limited depth */
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
    if (node.type === ElementType.Tag && !NOT_FOR_READERS.has(node.name)) {
      return wordsIn(node.children);
    }
    return [];
  });
}

/** What keeps a word apart from those in the next element. */
function spacesAround(text: string): [string, string] {
  const before = text.length - text.trimStart().length;
  const after = text.trimEnd().length;
  return [text.slice(0, before), text.slice(after)];
}
