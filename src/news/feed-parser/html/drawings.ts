import { words } from '../words.js';
import { anchorId } from './anchors.js';
import { decodeReferences, escapeAttribute, escapeHtml } from './character-references.js';
import { leftOut } from './pictures.js';
import { TagScanner, type StartTag } from './tag-scanner.js';

const SHAPES = words('path rect circle ellipse line polyline polygon text');

/**
 * SVG elements that only draw. Excludes elements that run (`script`, `animate`, `set`), load (`image`,
 * `use`, `filter`), contain HTML markup (`foreignObject`, `title`, `desc`) or style the page.
 */
export const DRAWING_ELEMENTS = [
  ...words(`
  svg g defs clipPath linearGradient radialGradient stop tspan`),
  ...SHAPES,
];

const DRAWN = new Set(DRAWING_ELEMENTS.map((name) => name.toLowerCase()));
const VISIBLE = new Set(SHAPES);
const TEXTS = new Set(['text', 'tspan']);

/** Elements whose tags alone are removed. */
const TRANSPARENT = new Set(['a', 'switch']);

const LENGTHS =
  'x y x1 y1 x2 y2 cx cy r rx ry dx dy fx fy width height offset viewbox preserveaspectratio points d ' +
  'gradientunits spreadmethod clippathunits textlength lengthadjust';
const TRANSFORMS = 'transform gradienttransform';
const PAINTS = 'fill stroke color stop-color clip-path';
const STYLES =
  'fill-opacity fill-rule stroke-width stroke-opacity stroke-linecap stroke-linejoin ' +
  'stroke-dasharray stroke-dashoffset stroke-miterlimit opacity stop-opacity font-family font-size ' +
  'font-weight font-style text-anchor dominant-baseline clip-rule vector-effect paint-order';

export const DRAWING_ATTRIBUTES = `${LENGTHS} ${TRANSFORMS} ${PAINTS} ${STYLES}`.split(' ');

const TRANSFORM_NAMES = new Set(TRANSFORMS.split(' '));
const PAINT_NAMES = new Set(PAINTS.split(' '));
/** Properties allowed in a `style` attribute: the ones that are attributes too. */
const STYLE_NAMES = new Set(`${PAINTS} ${STYLES}`.split(' '));
const KNOWN_NAMES = new Set(DRAWING_ATTRIBUTES);

const PLAIN_VALUE = /^[\w\s.,%+#-]*$/;
const TRANSFORM =
  /^(?:\s*,?\s*(?:matrix|translate|scale|rotate|skewX|skewY)\s*\([\d\s.,eE+-]{0,300}\)){1,20}\s*$/i;
const COLOUR = /^\s*(?:#[\da-f]{3,8}|[a-z]{1,30}|(?:rgb|hsl)a?\([\d\s.,%/deg-]{1,60}\))\s*$/i;
const REFERENCE = /^\s*url\(\s*["']?#([\w.:-]{1,100})["']?\s*\)\s*(?:none|#[\da-f]{3,8})?\s*$/i;

const LARGEST_DRAWING = 64 * 1024;
const LARGEST_SOURCE = 4 * LARGEST_DRAWING;
const MOST_DRAWINGS = 100;
/** Drawings without an end are searched for it; after these no more are. */
const MOST_FAILURES = 3;
const DEEPEST = 40;

/** Pictograms of buttons and links, in pixels; they are drawn at full width without their styles. */
const LARGEST_ICON = 64;

const START = /<svg(?=[\s/>])/gi;

/** Elements of HTML that end a drawing, as in browsers. */
const BREAKS_OUT = new Set(
  words(`
  b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li menu
  meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var`),
);

export function isDrawing(element: string): boolean {
  return DRAWN.has(element.toLowerCase());
}

/** The value of an attribute of a drawing, without addresses and styles; null if not allowed. */
export function drawingAttribute(name: string, value: string): string | null {
  if (!KNOWN_NAMES.has(name)) {
    return null;
  }
  const trimmed = value.trim();
  if (TRANSFORM_NAMES.has(name)) {
    return TRANSFORM.test(trimmed) ? trimmed : null;
  }
  if (PAINT_NAMES.has(name)) {
    const reference = REFERENCE.exec(trimmed)?.[1];
    const id = reference === undefined ? null : anchorId(reference);
    return id === null ? (COLOUR.exec(trimmed)?.[0] ?? null) : `url(#${id})`;
  }
  const plain = name === 'font-family' ? trimmed.replaceAll(/["']/g, '') : trimmed;
  return PLAIN_VALUE.test(plain) ? plain : null;
}

/**
 * Replaces every drawing with one of drawing elements only; removes pictograms and drawings that are empty,
 * too large or unterminated. A foreign element inside of a drawing ends it, as in browsers.
 *
 * Keeps browsers from parsing it differently; safety is up to the sanitiser.
 */
export function withPlainDrawings(html: string): string {
  const starts = [...html.matchAll(START)].map(({ index }) => index);
  if (starts.length === 0) {
    return html;
  }
  const scanner = new TagScanner(html);
  const lastEnd = html.toLowerCase().lastIndexOf('</svg');
  const pieces: string[] = [];
  let from = 0;
  let failures = 0;
  let drawings = 0;
  for (const [position, start] of starts.entries()) {
    if (start < from) {
      continue;
    }
    pieces.push(html.slice(from, start));
    const tag = scanner.startTag(start);
    from = tag.end;
    if (tag.selfClosing || start > lastEnd || failures >= MOST_FAILURES) {
      continue;
    }
    const drawing = new DrawingReader(scanner, tag).read();
    const end = scanner.find('</svg', tag.end);
    const isTooLarge = end - start > LARGEST_SOURCE && !(Number(starts[position + 1]) < end);
    if (drawing === null && isTooLarge) {
      from = scanner.endTag(end).end;
      pieces.push(leftOut(from - start));
      continue;
    }
    if (drawing === null) {
      failures += 1;
      continue;
    }
    drawings += 1;
    from = drawing.end;
    if (drawings <= MOST_DRAWINGS) {
      pieces.push(drawing.svg);
    }
  }
  pieces.push(html.slice(from));
  return pieces.join('');
}

class DrawingReader {
  readonly #scanner: TagScanner;
  readonly #pieces: string[] = [];
  readonly #open: string[] = [];
  readonly #start: StartTag;
  #isVisible = false;
  #length = 0;

  constructor(scanner: TagScanner, start: StartTag) {
    this.#scanner = scanner;
    this.#start = start;
  }

  /** @returns null for a drawing without end; `svg` is empty for a removed one */
  read(): { readonly svg: string; readonly end: number } | null {
    const { text } = this.#scanner;
    const limit = Math.min(text.length, this.#start.end + LARGEST_SOURCE);
    this.#begin(this.#start);
    let at = this.#start.end;
    while (at < limit) {
      const next = this.#scanner.find('<', at);
      if (next === -1) {
        return null;
      }
      this.#write(at, next);
      if (text.startsWith('</', next)) {
        const { name, end } = this.#scanner.endTag(next);
        if (name === 'svg' && this.#open.filter((open) => open === 'svg').length === 1) {
          return this.#finish(end);
        }
        this.#end(name);
        at = end;
      } else if (this.#scanner.startsNameAt(next + 1)) {
        const tag = this.#scanner.startTag(next);
        if (BREAKS_OUT.has(tag.name)) {
          return this.#finish(next);
        }
        const after = this.#read(tag, limit);
        if (after === null) {
          return null;
        }
        at = after;
      } else {
        at = this.#afterDeclaration(next);
      }
    }
    return null;
  }

  #afterDeclaration(at: number): number {
    if (this.#scanner.startsCdataAt(at)) {
      return this.#scanner.cdataEnd(at, 'svg').next;
    }
    return /^<[!?]/.test(this.#scanner.text.slice(at, at + 2))
      ? this.#scanner.declarationEnd(at)
      : at + 1;
  }

  /** @returns the position to continue at; null if the element has no end */
  #read(tag: StartTag, limit: number): number | null {
    if (TRANSPARENT.has(tag.name)) {
      return tag.end;
    }
    if (!DRAWN.has(tag.name) || this.#open.length >= DEEPEST) {
      return tag.selfClosing ? tag.end : this.#afterElement(tag, limit);
    }
    this.#begin(tag);
    if (tag.selfClosing) {
      this.#end(tag.name);
    }
    return tag.end;
  }

  /** The end of an element that is removed with its content. */
  #afterElement({ name, end }: StartTag, limit: number): number | null {
    for (let at = this.#scanner.find('</', end); at !== -1; at = this.#scanner.find('</', at + 2)) {
      if (at > limit) {
        return null;
      }
      const tag = this.#scanner.endTag(at);
      if (tag.name === name) {
        return tag.end;
      }
      // An element without content that was not closed.
      if (tag.name === 'svg') {
        return end;
      }
    }
    return null;
  }

  #begin(tag: StartTag): void {
    this.#isVisible ||= VISIBLE.has(tag.name);
    this.#open.push(tag.name);
    this.#push(`<${tag.name}${attributesOf(tag)}>`);
  }

  #end(name: string): void {
    const at = this.#open.lastIndexOf(name);
    // The drawing itself ends elsewhere.
    if (at > 0) {
      const closed = this.#open.splice(at).toReversed();
      this.#push(closed.map((open) => `</${open}>`).join(''));
    }
  }

  #write(from: number, to: number): void {
    if (TEXTS.has(this.#open.at(-1) ?? '')) {
      this.#push(escapeHtml(decodeReferences(this.#scanner.text.slice(from, to))));
    }
  }

  #push(piece: string): void {
    this.#length += piece.length;
    if (this.#length <= LARGEST_DRAWING) {
      this.#pieces.push(piece);
    }
  }

  #finish(end: number): { readonly svg: string; readonly end: number } {
    const isShown =
      this.#isVisible && this.#length <= LARGEST_DRAWING && !isPictogram(this.#start.attributes);
    const ends = this.#open.toReversed().map((name) => `</${name}>`);
    const left = this.#length > LARGEST_DRAWING ? leftOut(this.#length) : '';
    return { svg: isShown ? [...this.#pieces, ...ends].join('') : left, end };
  }
}

function attributesOf({ attributes }: StartTag): string {
  const kept = new Map<string, string>();
  const keep = (name: string, written: string): void => {
    const value = drawingAttribute(name, written);
    if (value !== null && value !== '' && !kept.has(name)) {
      kept.set(name, value);
    }
  };
  for (const [property, value] of stylesOf(attributes.get('style') ?? '')) {
    if (STYLE_NAMES.has(property)) {
      keep(property, value);
    }
  }
  for (const [name, value] of attributes) {
    keep(name, decodeReferences(value));
  }
  const id = anchorId(decodeReferences(attributes.get('id') ?? ''));
  if (id !== null) {
    kept.set('id', id);
  }
  return [...kept].map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`).join('');
}

/** The declarations of a `style` attribute. */
function stylesOf(style: string): [property: string, value: string][] {
  return decodeReferences(style.slice(0, 2_000))
    .split(';')
    .map((declaration) => {
      const colon = declaration.indexOf(':');
      return [
        declaration.slice(0, Math.max(colon, 0)).trim().toLowerCase(),
        declaration
          .slice(colon + 1)
          .replace(/!\s*important/i, '')
          .trim(),
      ];
    });
}

function isPictogram(attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.get('aria-hidden') === 'true') {
    return true;
  }
  const [width, height] = ['width', 'height'].map((side) => pixelsOf(attributes.get(side)));
  const box = (attributes.get('viewbox') ?? '').trim().split(/[\s,]+/);
  const sides = [width ?? pixelsOf(box[2]), height ?? pixelsOf(box[3])];
  return sides.every((side) => side !== null && side !== undefined && side <= LARGEST_ICON);
}

function pixelsOf(length: string | undefined): number | null {
  const pixels = /^\s*([\d.]{1,10})(px|em|rem)?\s*$/.exec(length ?? '');
  return pixels === null ? null : Number(pixels[1]) * (pixels[2]?.endsWith('em') ? 16 : 1);
}
