import type { Highlight } from '../model/highlights-api.js';
import type { Place } from './find-quote.js';

/** The text of a shown article, and where its parts are. */
export interface ShownText {
  readonly text: string;
  readonly parts: readonly { readonly node: Text; readonly from: number }[];
}

const BLOCKS =
  'address, article, aside, blockquote, br, dd, details, div, dl, dt, figcaption, figure, footer, h1, h2, h3, h4, ' +
  'h5, h6, header, hr, li, ol, p, pre, section, summary, table, td, th, tr, ul';
/** What the pages add. */
const OWN = '.edit-highlight, .video';

export function shownText(body: HTMLElement): ShownText {
  const parts: { node: Text; from: number }[] = [];
  let text = '';
  const endLine = () => {
    text += text === '' || text.endsWith('\n') ? '' : '\n';
  };
  const visit = (parent: Node) => {
    for (const node of parent.childNodes) {
      if (node instanceof Text) {
        parts.push({ node, from: text.length });
        text += node.data;
      } else if (node instanceof Element && !node.matches(OWN)) {
        const isBlock = node.matches(BLOCKS);
        if (isBlock) {
          endLine();
        }
        visit(node);
        if (isBlock) {
          endLine();
        }
      }
    }
  };
  visit(body);
  return { text, parts };
}

/** The selected words; null if there are none in the text. */
export function placeOfRange({ text, parts }: ShownText, range: Range): Place | null {
  const touched = parts.filter(({ node }) => range.intersectsNode(node));
  const [first, last] = [touched[0], touched.at(-1)];
  if (first === undefined || last === undefined) {
    return null;
  }
  const start = first.from + (first.node === range.startContainer ? range.startOffset : 0);
  const end =
    last.from + (last.node === range.endContainer ? range.endOffset : last.node.data.length);
  const words = text.slice(start, end);
  const from = start + words.length - words.trimStart().length;
  const to = start + words.trimEnd().length;
  return from < to ? [from, to] : null;
}

/** Marks a place, with a button after it. @param label of the button */
export function paint(
  { parts }: ShownText,
  [from, to]: Place,
  { id, colour, note }: Highlight,
  label: string,
): void {
  let last: HTMLElement | null = null;
  for (const { node, from: at } of parts) {
    const [start, end] = [Math.max(from - at, 0), Math.min(to - at, node.data.length)];
    if (start < end && node.data.slice(start, end).trim() !== '') {
      const words = start > 0 ? node.splitText(start) : node;
      if (end - start < words.data.length) {
        words.splitText(end - start);
      }
      last = document.createElement('mark');
      last.className = `highlight ${colour}`;
      last.dataset['highlight'] = String(id);
      words.replaceWith(last);
      last.append(words);
    }
  }
  // A link leads elsewhere, so that only the button opens its mark.
  const control = last?.closest('a, button, summary');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = note === null && !control ? 'edit-highlight' : 'edit-highlight seen';
  button.dataset['highlight'] = String(id);
  button.setAttribute('aria-label', label);
  (control ?? last)?.after(button);
}

export function removePaint(body: HTMLElement): void {
  for (const button of body.querySelectorAll('.edit-highlight')) {
    button.remove();
  }
  for (const mark of body.querySelectorAll('mark.highlight')) {
    mark.replaceWith(...mark.childNodes);
  }
  body.normalize();
}
