import sanitizeHtml from 'sanitize-html';
import { notOfOrigin, resolveAddress } from '../web-address.js';
import { words } from '../words.js';
import { linkToAnchor, anchorId, anchorsIn } from './anchors.js';
import { withoutControls } from './character-references.js';
import {
  DRAWING_ATTRIBUTES,
  DRAWING_ELEMENTS,
  drawingAttribute,
  isDrawing,
  withPlainDrawings,
} from './drawings.js';
import { frameAddress, playerAddress, withGistLinks, withoutForeignFrames } from './frames.js';
import { limitNesting } from './limit-nesting.js';
import { isMath, MATH_ANNOTATIONS, MATH_ATTRIBUTES, MATH_ELEMENTS, mathAttribute } from './math.js';
import {
  shownWithoutScripts,
  withLazyAddresses,
  isTracker,
  leadsToSharing,
  leftOut,
  withRoomForText,
} from './pictures.js';

/** Largest body stored, in bytes of UTF-8. */
export const LARGEST_BODY_BYTES = 1024 * 1024;

const DEEPEST = 100;
const MOST_TAGS = 50_000;

const LONGEST_SRCSET = 8_000;
const MOST_CANDIDATES = 32;

const LINK_SCHEMES = 'http https mailto ftp news nntp tel magnet xmpp gemini'.split(' ');
const MEDIA_SCHEMES = ['http', 'https', 'data'];

/** Pictures may be inlined. */
const INLINE_PICTURE =
  /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp|x-icon|vnd\.microsoft\.icon);base64,/i;
/** SVG only in `<img src>`, where browsers run no scripts. */
const INLINE_DRAWING = /^data:image\/svg\+xml(?:;charset=[\w-]{1,20})?(?:;base64)?,[!-~]*$/i;
const A_DRAWING = /^\s*data:image\/svg/i;
const LONGEST_DRAWING = 32 * 1024;

/** The frequent ones first: `sanitize-html` goes through the list for every tag. */
const ELEMENTS = words(`
  p a br strong em img li div span ul figure figcaption h2 h3 b i code pre blockquote a abbr acronym
  address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup data dd
  del details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i
  iframe img ins kbd li main map mark menu nav ol p picture pre q rb rp rt rtc ruby s samp section small
  source span strike strong sub summary sup table tbody td tfoot th thead time tr track tt u ul var
  video wbr`).concat(MATH_ELEMENTS, DRAWING_ELEMENTS);

/**
 * Element name that is not allowed, and removed with its content. Empty, because `sanitize-html` 2.18 ends
 * the next element at the same depth with any other name given to a removed element.
 */
const REMOVED = '';

const ANYWHERE = ['dir', 'id', 'lang', 'title'];
const BY_ELEMENT: Readonly<Record<string, readonly string[]>> = {
  ...MATH_ATTRIBUTES,
  ...Object.fromEntries(DRAWING_ELEMENTS.map((name) => [name, DRAWING_ATTRIBUTES])),
  a: ['href'],
  audio: ['src', 'controls', 'loop', 'muted', 'preload'],
  blockquote: ['cite'],
  code: ['class'],
  col: ['span'],
  colgroup: ['span'],
  data: ['value'],
  del: ['cite', 'datetime'],
  details: ['open'],
  iframe: ['src', 'width', 'height', 'allowfullscreen'],
  img: ['src', 'srcset', 'sizes', 'alt', 'width', 'height'],
  ins: ['cite', 'datetime'],
  li: ['value'],
  ol: ['start', 'reversed', 'type'],
  pre: ['class'],
  q: ['cite'],
  source: ['src', 'srcset', 'sizes', 'media', 'type'],
  td: ['colspan', 'rowspan', 'align', 'valign'],
  th: ['colspan', 'rowspan', 'align', 'valign', 'scope'],
  time: ['datetime'],
  track: ['src', 'kind', 'srclang', 'label', 'default'],
  video: ['src', 'poster', 'controls', 'loop', 'muted', 'preload', 'width', 'height'],
};

/** Allowed attributes by element, in the order in which they are written. */
const ATTRIBUTES = new Map(
  ELEMENTS.map((name) => [name, [...(BY_ELEMENT[name] ?? []), ...ANYWHERE]]),
);

/** The frequent ones first, as above. */
const ALL_ATTRIBUTES = [
  ...new Set(words('href rel target src alt').concat(...ATTRIBUTES.values())),
];

/** Elements that are removed with their content. */
const UNSEEN = words('script style textarea option xmp title template noembed noframes');

const MEDIA = new Set(['audio', 'img', 'source', 'video']);
const PICTURES = new Set(['img', 'source']);
const RIGHT_TO_LEFT = /(?:^|;)\s*direction\s*:\s*rtl\b/i;
const SIZES = new Set(['width', 'height', 'colspan', 'rowspan', 'span']);

/**
 * Sanitises HTML from outside with allow lists, and makes every address in it absolute.
 *
 * @param base base address
 * @param ownOrigin of this service; articles must not trigger requests to it with the user's session
 */
export function cleanHtml(html: string, base: string, ownOrigin: string | null = null): string {
  let source = html;
  for (;;) {
    const clean = withRoomForText(cleanOnce(source, base, ownOrigin), LARGEST_BODY_BYTES);
    if (Buffer.byteLength(clean) <= LARGEST_BODY_BYTES) {
      return clean;
    }
    // Sanitised again, so that every element is closed; there is room for the end tags.
    source = cutCleanly(clean, Math.floor(LARGEST_BODY_BYTES * 0.9)) + CUT;
  }
}

/** Stands where a text was cut. In ASCII: any other character would double the memory of a large body. */
const CUT = ' [...]';

/** Context for single elements of a body. */
interface Body {
  readonly base: string;
  readonly ownOrigin: string | null;
  /** Searched when the first link needs them. */
  readonly anchors: () => ReadonlySet<string>;
  readonly shownWithoutScripts: ReadonlySet<string>;
  /** KaTeX writes formulas twice: as MathML, and drawn with styles, which bodies lose. */
  readonly hasFormulasTwice: boolean;
}

function cleanOnce(html: string, base: string, ownOrigin: string | null): string {
  const linked = withGistLinks(withoutControls(html));
  const framed = withPlainDrawings(withoutForeignFrames(linked, base));
  let anchors: ReadonlySet<string> | undefined;
  const body = {
    base,
    ownOrigin,
    anchors: () => (anchors ??= anchorsIn(framed)),
    shownWithoutScripts: shownWithoutScripts(framed),
    hasFormulasTwice: /katex-mathml["']?>\s*<math\b/.test(framed),
  };
  const clean = sanitizeHtml(limitNesting(framed, DEEPEST, MOST_TAGS), optionsFor(body));
  return clean.trim();
}

function optionsFor(body: Body): sanitizeHtml.IOptions {
  return {
    allowedTags: ELEMENTS,
    // `element` has removed attributes that its element may not have.
    allowedAttributes: { '*': ALL_ATTRIBUTES },
    allowedSchemes: LINK_SCHEMES,
    allowedSchemesByTag: Object.fromEntries([...MEDIA].map((tag) => [tag, MEDIA_SCHEMES])),
    allowedSchemesAppliedToAttributes: ['href', 'src', 'cite', 'poster'],
    allowProtocolRelative: false,
    nonTextTags: [...UNSEEN, ...MATH_ANNOTATIONS, REMOVED],
    selfClosing: ['br', 'col', 'hr', 'img', 'source', 'track', 'wbr'],
    nestingLimit: DEEPEST + 20,
    enforceHtmlBoundary: false,
    parser: { recognizeSelfClosing: true },
    exclusiveFilter: iconsOfSharing(),
    transformTags: {
      iframe: (_name, attributes) => player(attributes, body.base),
      input: (name, attributes) => taskMark(attributes) ?? { tagName: name, attribs: {} },
      img: (name, attributes) => largeDrawing(attributes) ?? { tagName: name, attribs: attributes },
      '*': (name, attributes) => element(name, attributes, body),
    },
  };
}

/** Limit, since each removed one makes `sanitize-html` copy its contents. */
const MOST_ICONS_OF_SHARING = 100;

/** Finds links that show at most an icon, to share the article elsewhere. */
function iconsOfSharing(): (frame: sanitizeHtml.IFrame) => boolean {
  let left = MOST_ICONS_OF_SHARING;
  return ({ tag, attribs, text }) => {
    const isIcon =
      tag === 'a' && left > 0 && text.trim() === '' && leadsToSharing(attribs['href'] ?? '');
    left -= isIcon ? 1 : 0;
    return isIcon;
  };
}

/** The read-only checkbox of a task list; null for other inputs. */
function taskMark(written: sanitizeHtml.Attributes): sanitizeHtml.Tag | null {
  const isMark =
    /^checkbox$/i.test(attribute(written, 'type') ?? '') && attribute(written, 'disabled') !== null;
  const text = attribute(written, 'checked') === null ? '☐' : '☑';
  return isMark ? { tagName: 'span', attribs: {}, text } : null;
}

/** The place of a drawing that is too large; null for other pictures. */
function largeDrawing(written: sanitizeHtml.Attributes): sanitizeHtml.Tag | null {
  const src = attribute(written, 'src') ?? '';
  const isLarge = src.length > LONGEST_DRAWING && A_DRAWING.test(src);
  const isOnly = attribute(written, 'srcset') === null && attribute(written, 'data-src') === null;
  const text = leftOut(src.length, attribute(written, 'alt') ?? '');
  return isLarge && isOnly ? { tagName: 'span', attribs: {}, text } : null;
}

function player(written: sanitizeHtml.Attributes, base: string): sanitizeHtml.Tag {
  const src = playerAddress(
    frameAddress((name) => attribute(written, name)),
    base,
  );
  if (src === null) {
    return { tagName: REMOVED, attribs: {}, text: '' };
  }
  return { tagName: 'iframe', attribs: { ...written, src }, text: '' };
}

function element(name: string, asWritten: sanitizeHtml.Attributes, body: Body): sanitizeHtml.Tag {
  const written = PICTURES.has(name)
    ? withLazyAddresses(asWritten, body.shownWithoutScripts)
    : asWritten;
  if (body.hasFormulasTwice && /\bkatex-html\b/.test(attribute(written, 'class') ?? '')) {
    return { tagName: REMOVED, attribs: {} };
  }
  const attribs: sanitizeHtml.Attributes = {};
  for (const known of ATTRIBUTES.get(name) ?? []) {
    const value = attribute(written, known);
    if (value === null) {
      continue;
    }
    const kept = attributeValue(name, known, value, body);
    if (kept !== null) {
      attribs[known] = kept;
    }
  }
  if (attribs['dir'] === undefined && RIGHT_TO_LEFT.test(attribute(written, 'style') ?? '')) {
    attribs['dir'] = 'rtl';
  }
  if (name === 'a') {
    const anchor = anchorId(attribute(written, 'name') ?? '');
    if (anchor !== null) {
      attribs['id'] ??= anchor;
    }
    if (attribs['href'] !== undefined && !attribs['href'].startsWith('#')) {
      attribs['rel'] = 'noreferrer noopener';
      attribs['target'] = '_blank';
    }
  }
  if (name === 'audio' || name === 'video') {
    attribs['controls'] = '';
  }
  if (name === 'img' && isTracker(attribs['src'] ?? null, asWritten)) {
    return { tagName: REMOVED, attribs: {} };
  }
  const isEmpty = attribs['src'] === undefined && attribs['srcset'] === undefined;
  if (['img', 'source', 'track'].includes(name) && isEmpty) {
    return { tagName: REMOVED, attribs: {} };
  }
  return { tagName: name, attribs };
}

function attribute(attributes: sanitizeHtml.Attributes, name: string): string | null {
  return Object.hasOwn(attributes, name) ? (attributes[name] ?? null) : null;
}

function attributeValue(tag: string, name: string, value: string, body: Body): string | null {
  const { base } = body;
  if (name === 'id') {
    return anchorId(value);
  }
  if (isMath(tag) && !ANYWHERE.includes(name)) {
    return mathAttribute(name, value);
  }
  if (isDrawing(tag) && !ANYWHERE.includes(name)) {
    return drawingAttribute(name, value);
  }
  if (name === 'href') {
    return linkToAnchor(value, base, body.anchors) ?? withScheme(value, base, LINK_SCHEMES);
  }
  if (name === 'cite') {
    return withScheme(value, base, LINK_SCHEMES);
  }
  if (tag === 'img' && name === 'src' && isInlineDrawing(value)) {
    return value.trim();
  }
  if (tag === 'track' && name === 'src') {
    return notOfOrigin(withScheme(value, base, ['http', 'https']), body.ownOrigin);
  }
  if (name === 'class') {
    return /(?:^|\s)(language-[\w+-]{1,30})(?!\S)/.exec(value)?.[1] ?? null;
  }
  if (name === 'src' || name === 'poster') {
    return mediaAddress(value, body);
  }
  if (name === 'srcset') {
    return cleanSrcset(value, body);
  }
  if (SIZES.has(name)) {
    return /^\s*\d{1,5}(?:\.\d+)?(?:px|%)?\s*$/.test(value) ? value.trim() : null;
  }
  if (name === 'dir') {
    return /^(?:ltr|rtl|auto)$/i.test(value) ? value.toLowerCase() : null;
  }
  return tag === 'source' && name === 'type' ? value.slice(0, 200) : value;
}

function withScheme(value: string, base: string, schemes: readonly string[]): string | null {
  const url = resolveAddress(value, base);
  if (url === null) {
    return null;
  }
  return schemes.includes(url.slice(0, url.indexOf(':')).toLowerCase()) ? url : null;
}

function isInlineDrawing(value: string): boolean {
  return value.length <= LONGEST_DRAWING && INLINE_DRAWING.test(value.trim());
}

function mediaAddress(value: string, { base, ownOrigin }: Body): string | null {
  const trimmed = value.trim();
  if (/^data:/i.test(trimmed)) {
    return INLINE_PICTURE.test(trimmed) ? trimmed : null;
  }
  const url = withScheme(trimmed, base, ['http', 'https']);
  return notOfOrigin(url, ownOrigin);
}

/** Candidates are separated by commas; addresses may contain commas too. */
function cleanSrcset(value: string, body: Body): string | null {
  const isTooLong = value.length > LONGEST_SRCSET;
  const end = isTooLong ? Math.max(0, value.lastIndexOf(', ', LONGEST_SRCSET)) : value.length;
  const candidates: string[] = [];
  const parts = value.slice(0, end).split(/,\s+|,(?=(?:https?:)?\/\/)|(?<=\s[\d.]{1,8}[wxh]),/);
  for (const part of parts) {
    const [address, size] = part.trim().split(/\s+/, 2);
    const url = mediaAddress(address?.replace(/,+$/, '') ?? '', body);
    if (url === null || candidates.length >= MOST_CANDIDATES) {
      continue;
    }
    const plain = url.replaceAll(',', '%2C');
    candidates.push(size && /^\d+(?:\.\d+)?[wxh]$/.test(size) ? `${plain} ${size}` : plain);
  }
  return candidates.length > 0 ? candidates.join(', ') : null;
}

/** Cuts HTML to a size, not inside a tag or reference. */
export function cutCleanly(html: string, bytes: number): string {
  if (html.length * 3 <= bytes || Buffer.byteLength(html) <= bytes) {
    return html;
  }
  const { read } = new TextEncoder().encodeInto(html, new Uint8Array(bytes));
  const cut = html.slice(0, read);
  const tag = cut.lastIndexOf('<');
  if (tag > cut.lastIndexOf('>') && tag > cut.length - 10_000) {
    return cut.slice(0, tag);
  }
  const reference = cut.lastIndexOf('&');
  return reference > cut.length - 40 && !cut.includes(';', reference)
    ? cut.slice(0, reference)
    : cut;
}
