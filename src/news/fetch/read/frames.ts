import { decodeReferences } from './character-references.js';
import { resolveAddress } from './web-address.js';
import { XmlScanner } from './xml-scanner.js';

/** Players of others that may be shown inside a body. */
const PLAYERS: ReadonlyArray<readonly [host: string, path: string]> = [
  ['www.youtube.com', '/embed/'],
  ['youtube.com', '/embed/'],
  ['www.youtube-nocookie.com', '/embed/'],
  ['youtube-nocookie.com', '/embed/'],
  ['player.vimeo.com', '/video/'],
  ['vk.com', '/video_ext.php'],
  ['www.vk.com', '/video_ext.php'],
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
 * Leaves out the tags of all frames but players, and gives every player its end. To an HTML parser
 * the inside of a frame is no markup, and a frame that is never closed reaches to the end: what
 * stands inside of one left out is often a link to the same, and behind it the rest of the text.
 *
 * This only saves what may be shown; that nothing else is shown is seen to by the sanitiser.
 */
export function withoutForeignFrames(html: string, base: string): string {
  const tags = [...html.matchAll(/<\/?iframe(?=[\s/>])/gi)];
  if (tags.length === 0) return html;
  const scanner = new XmlScanner(html);
  const pieces: string[] = [];
  let from = 0;
  tags.forEach(({ index, 0: start }, position) => {
    if (index < from) return;
    pieces.push(html.slice(from, index));
    if (start.startsWith('</')) {
      from = scanner.endTag(index).end;
      return;
    }
    const tag = scanner.startTag(index);
    from = tag.end;
    const src = decodeReferences(tag.attributes.get('src') ?? '');
    if (playerAddress(src, base) === null) return;
    pieces.push(html.slice(index, tag.end));
    if (tag.selfClosing) return;
    pieces.push('</iframe>');
    const next = tags[position + 1];
    // What a player holds is shown by browsers without frames alone.
    if (next?.[0].startsWith('</')) from = Math.max(from, next.index);
  });
  pieces.push(html.slice(from));
  return pieces.join('');
}
