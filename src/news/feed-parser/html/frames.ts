import { decodeReferences, escapeAttribute, escapeHtml } from './character-references.js';
import { resolveAddress } from '../web-address.js';
import { XmlScanner, type StartTag } from '../xml/xml-scanner.js';

/** Players of others that may be shown inside a body. */
const PLAYERS: ReadonlyArray<readonly [host: string, path: string]> = [
  ['www.youtube.com', '/embed/'],
  ['youtube.com', '/embed/'],
  ['www.youtube-nocookie.com', '/embed/'],
  ['youtube-nocookie.com', '/embed/'],
  ['player.vimeo.com', '/video/'],
  ['vk.com', '/video_ext.php'],
  ['www.vk.com', '/video_ext.php'],
  ['open.spotify.com', '/embed/'],
  ['open.spotify.com', '/embed-podcast/'],
  ['w.soundcloud.com', '/player/'],
  ['www.dailymotion.com', '/embed/video/'],
  ['geo.dailymotion.com', '/player'],
];

/**
 * The address of a frame that may be shown, resolved.
 *
 * @returns null when it is none of the players we know
 */
export function playerAddress(src: string, base: string): string | null {
  const address = resolveAddress(src.trim().replace(/^\/\//, 'https://'), base);
  const url = address === null ? null : URL.parse(address);
  const isPlayer =
    url?.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    PLAYERS.some(([host, path]) => url.hostname === host && url.pathname.startsWith(path));
  return isPlayer ? url.href : null;
}

/**
 * Turns all frames but players into links to what they show, and gives every player its end. To an
 * HTML parser the inside of a frame is no markup, and a frame that is never closed reaches to the
 * end: what stands inside of one left out is often a link to the same already, and behind it the
 * rest of the text.
 *
 * This only saves what may be shown; that nothing else is shown is seen to by the sanitiser.
 */
export function withoutForeignFrames(html: string, base: string): string {
  const tags = [...html.matchAll(/<\/?iframe(?=[\s/>])/gi)];
  if (tags.length === 0) {
    return html;
  }
  const scanner = new XmlScanner(html);
  const pieces: string[] = [];
  let from = 0;
  tags.forEach(({ index, 0: start }, position) => {
    if (index < from) {
      return;
    }
    pieces.push(html.slice(from, index));
    if (start.startsWith('</')) {
      from = scanner.endTag(index).end;
      return;
    }
    const tag = scanner.startTag(index);
    from = tag.end;
    const src = decodeReferences(addressOf(tag));
    const next = tags[position + 1];
    if (playerAddress(src, base) === null) {
      const inside = html.slice(from, next?.[0].startsWith('</') ? next.index : from);
      if (!/<a\s/i.test(inside)) {
        pieces.push(linkTo(src, base, tag));
      }
      return;
    }
    pieces.push(html.slice(index, tag.end));
    if (tag.selfClosing) {
      return;
    }
    pieces.push('</iframe>');
    // What a player holds is shown by browsers without frames alone.
    if (next?.[0].startsWith('</')) {
      from = Math.max(from, next.index);
    }
  });
  pieces.push(html.slice(from));
  return pieces.join('');
}

/** Scripts of web pages load frames later, as they do with pictures. */
function addressOf(tag: StartTag): string {
  const { attributes } = tag;
  const src = attributes.get('src') ?? '';
  const isShown = src !== '' && !src.startsWith('about:');
  return isShown ? src : (attributes.get('data-src') ?? attributes.get('data-lazy-src') ?? '');
}

/** A link to what a frame shows, named by its host; empty for frames that show nothing. */
function linkTo(src: string, base: string, tag: StartTag): string {
  const address = src.trim() === '' ? null : resolveAddress(src, base);
  const url = address === null ? null : URL.parse(address);
  const isOfWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isOfWeb || isInvisible(tag)) {
    return '';
  }
  return `<a href="${escapeAttribute(url.href)}">${escapeHtml(url.hostname)}</a>`;
}

/** Frames that count visitors. */
function isInvisible({ attributes }: StartTag): boolean {
  const isTiny = ['width', 'height'].some((side) =>
    /^\s*[01](?:px)?\s*$/.test(attributes.get(side) ?? ''),
  );
  return (
    isTiny ||
    attributes.has('hidden') ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.get('style') ?? '')
  );
}
