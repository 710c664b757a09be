import sanitizeHtml from 'sanitize-html';
import { withoutControls } from './character-references.js';
import { playerAddress, withoutForeignFrames } from './frames.js';
import { limitNesting } from './limit-nesting.js';
import { resolveAddress } from './web-address.js';

/** Largest body stored, in bytes of UTF-8. */
export const LARGEST_BODY_BYTES = 1024 * 1024;

const DEEPEST = 100;
const MOST_TAGS = 50_000;

const LONGEST_SRCSET = 8_000;
const MOST_CANDIDATES = 32;

const LINK_SCHEMES = ['http', 'https', 'mailto', 'ftp', 'news', 'nntp', 'tel'];
const MEDIA_SCHEMES = ['http', 'https', 'data'];

/** Pictures may be written into the document; SVG may not, because it can hold scripts. */
const INLINE_PICTURE =
  /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp|x-icon|vnd\.microsoft\.icon);base64,/i;

const ELEMENTS = (
  'a abbr acronym address article aside audio b bdi bdo big blockquote br caption center cite code ' +
  'col colgroup data dd del details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 ' +
  'h5 h6 header hgroup hr i iframe img ins kbd li main map mark menu nav ol p picture pre q rb rp rt ' +
  'rtc ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th ' +
  'thead time tr tt u ul var video wbr'
).split(' ');

/** What an element is renamed to when only its content may stay. */
const REMOVED = 'removed';

const ANYWHERE = ['dir', 'lang', 'title'];
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'rel', 'target'],
  audio: ['src', 'controls', 'loop', 'muted', 'preload'],
  blockquote: ['cite'],
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
  q: ['cite'],
  source: ['src', 'srcset', 'sizes', 'media', 'type'],
  td: ['colspan', 'rowspan', 'align', 'valign'],
  th: ['colspan', 'rowspan', 'align', 'valign', 'scope'],
  time: ['datetime'],
  video: ['src', 'poster', 'controls', 'loop', 'muted', 'preload', 'width', 'height'],
};

const MEDIA = new Set(['audio', 'img', 'source', 'video']);
const SIZES = new Set(['width', 'height', 'colspan', 'rowspan', 'span']);

/**
 * Makes the HTML of a stranger safe to show inside our own page, and resolves every address in it.
 * Allows by list: an element or attribute nobody thought of is left out.
 *
 * @param base address relative ones are resolved against
 */
export function cleanHtml(html: string, base: string): string {
  const isTooLarge = Buffer.byteLength(html) > LARGEST_BODY_BYTES;
  // Room for the ends of what the cut leaves open.
  let source = isTooLarge ? cutCleanly(html, Math.floor(LARGEST_BODY_BYTES * 0.95)) : html;
  for (;;) {
    const clean = cleanOnce(source, base);
    if (Buffer.byteLength(clean) <= LARGEST_BODY_BYTES) return clean;
    // Escaping made it grow: start again from what fits, so that every element is closed.
    source = cutCleanly(clean, Math.floor(LARGEST_BODY_BYTES * 0.9));
  }
}

function cleanOnce(html: string, base: string): string {
  const framed = withoutForeignFrames(withoutControls(html), base);
  return sanitizeHtml(limitNesting(framed, DEEPEST, MOST_TAGS), optionsFor(base)).trim();
}

function optionsFor(base: string): sanitizeHtml.IOptions {
  return {
    allowedTags: ELEMENTS,
    allowedAttributes: { ...mutable(ATTRIBUTES), '*': ANYWHERE },
    allowedSchemes: LINK_SCHEMES,
    allowedSchemesByTag: Object.fromEntries([...MEDIA].map((tag) => [tag, MEDIA_SCHEMES])),
    allowedSchemesAppliedToAttributes: ['href', 'src', 'cite', 'poster'],
    allowProtocolRelative: false,
    nonTextTags: [
      'script',
      'style',
      'textarea',
      'option',
      'xmp',
      'title',
      'template',
      'noembed',
      'noframes',
    ],
    selfClosing: ['br', 'col', 'hr', 'img', 'source', 'wbr'],
    nestingLimit: DEEPEST + 20,
    enforceHtmlBoundary: false,
    parser: { recognizeSelfClosing: true },
    transformTags: {
      iframe: (_name, attributes) => player(attributes, base),
      '*': (name, attributes) => element(name, attributes, base),
    },
  };
}

function mutable(lists: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(lists).map(([tag, names]) => [tag, [...names]]));
}

function player(written: sanitizeHtml.Attributes, base: string): sanitizeHtml.Tag {
  const src = playerAddress(attribute(written, 'src') ?? '', base);
  if (src === null) return { tagName: REMOVED, attribs: {}, text: '' };
  return { tagName: 'iframe', attribs: { ...written, src }, text: '' };
}

function element(name: string, written: sanitizeHtml.Attributes, base: string): sanitizeHtml.Tag {
  const attribs: sanitizeHtml.Attributes = {};
  for (const known of [...(ATTRIBUTES[name] ?? []), ...ANYWHERE]) {
    const value = attribute(written, known);
    if (value === null) continue;
    const kept = attributeValue(name, known, value, base);
    if (kept !== null) attribs[known] = kept;
  }
  if (name === 'a') {
    delete attribs['rel'];
    delete attribs['target'];
    if (attribs['href'] !== undefined) {
      attribs['rel'] = 'noreferrer noopener';
      attribs['target'] = '_blank';
    }
  }
  if (name === 'audio' || name === 'video') attribs['controls'] = '';
  const isEmpty = attribs['src'] === undefined && attribs['srcset'] === undefined;
  if ((name === 'img' || name === 'source') && isEmpty) return { tagName: REMOVED, attribs: {} };
  return { tagName: name, attribs };
}

function attribute(attributes: sanitizeHtml.Attributes, name: string): string | null {
  return Object.hasOwn(attributes, name) ? (attributes[name] ?? null) : null;
}

function attributeValue(tag: string, name: string, value: string, base: string): string | null {
  if (name === 'href' || name === 'cite') return withScheme(value, base, LINK_SCHEMES);
  if (name === 'src' || name === 'poster') return mediaAddress(value, base);
  if (name === 'srcset') return cleanSrcset(value, base);
  if (SIZES.has(name))
    return /^\s*\d{1,5}(?:\.\d+)?(?:px|%)?\s*$/.test(value) ? value.trim() : null;
  if (name === 'dir') return /^(?:ltr|rtl|auto)$/i.test(value) ? value.toLowerCase() : null;
  return tag === 'source' && name === 'type' ? value.slice(0, 200) : value;
}

function withScheme(value: string, base: string, schemes: readonly string[]): string | null {
  const url = resolveAddress(value, base);
  if (url === null) return null;
  return schemes.includes(url.slice(0, url.indexOf(':')).toLowerCase()) ? url : null;
}

function mediaAddress(value: string, base: string): string | null {
  const trimmed = value.trim();
  if (/^data:/i.test(trimmed)) return INLINE_PICTURE.test(trimmed) ? trimmed : null;
  return withScheme(trimmed, base, ['http', 'https']);
}

/** Candidates are parted by commas behind their address or size; addresses may hold commas. */
function cleanSrcset(value: string, base: string): string | null {
  if (value.length > LONGEST_SRCSET) return null;
  const candidates: string[] = [];
  for (const part of value.split(/,\s+|,(?=(?:https?:)?\/\/)|(?<=\s[\d.]{1,8}[wxh]),/)) {
    const [address, size] = part.trim().split(/\s+/, 2);
    const url = mediaAddress(address?.replace(/,+$/, '') ?? '', base);
    if (url === null || candidates.length >= MOST_CANDIDATES) continue;
    const plain = url.replaceAll(',', '%2C');
    candidates.push(size && /^\d+(?:\.\d+)?[wxh]$/.test(size) ? `${plain} ${size}` : plain);
  }
  return candidates.length > 0 ? candidates.join(', ') : null;
}

/** Cuts HTML in front of a tag or reference that would not fit whole. */
export function cutCleanly(html: string, bytes: number): string {
  if (html.length * 3 <= bytes || Buffer.byteLength(html) <= bytes) return html;
  const { read } = new TextEncoder().encodeInto(html, new Uint8Array(bytes));
  const cut = html.slice(0, read);
  const tag = cut.lastIndexOf('<');
  if (tag > cut.lastIndexOf('>') && tag > cut.length - 10_000) return cut.slice(0, tag);
  const reference = cut.lastIndexOf('&');
  return reference > cut.length - 40 && !cut.includes(';', reference)
    ? cut.slice(0, reference)
    : cut;
}
