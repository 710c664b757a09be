import { resolveAddress } from '../web-address.js';
import { decodeReferences, escapeAttribute, escapeHtml } from './character-references.js';
import { cutAt, onOneLine } from './plain-text.js';
import { TagScanner, type StartTag } from './tag-scanner.js';

const LONGEST_TITLE = 200;

/** Embedded players that are allowed. */
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
 * The absolute address of an allowed player.
 *
 * @returns null for any other address
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
 * Replaces all frames but players by links, and closes every player. HTML parsers treat the content
 * of a frame as text, and an unclosed frame extends to the end of the body, which would lose the rest
 * of the article. A fallback link inside a frame is kept instead of a generated one.
 *
 * Only preserves content; safety is up to the sanitiser.
 */
export function withoutForeignFrames(html: string, base: string): string {
  const tags = [...html.matchAll(/<\/?iframe(?=[\s/>])/gi)];
  if (tags.length === 0) {
    return html;
  }
  const scanner = new TagScanner(html);
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
    const src = decodeReferences(frameAddress((name) => tag.attributes.get(name) ?? null));
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
    // Only browsers without frames show the content of a player.
    if (next?.[0].startsWith('</')) {
      from = Math.max(from, next.index);
    }
  });
  pieces.push(html.slice(from));
  return pieces.join('');
}

const GIST =
  /<script\s[^<>]{0,200}?\bsrc\s*=\s*["']?(?:https?:)?\/\/gist\.github\.com\/((?:[\w-]{1,39}\/)?[0-9a-f]{5,40})\.js(?=[?"'\s>])/gi;
const LINKED_GIST = /\shref\s*=\s*["']?https?:\/\/gist\.github\.com\/([\w/-]{5,80})/gi;

/** Adds links to gists, which scripts would show. */
export function withGistLinks(html: string): string {
  if (!html.includes('gist.github.com')) {
    return html;
  }
  const linked = new Set(Array.from(html.matchAll(LINKED_GIST), ([, path]) => path));
  return html.replace(GIST, (script, path: string) => {
    const place = `gist.github.com/${path}`;
    return linked.has(path) ? script : `<a href="https://${place}">${place}</a>${script}`;
  });
}

/** `src`, or the attribute of lazily loaded frames; empty without one. */
export function frameAddress(attribute: (name: string) => string | null): string {
  const src = attribute('src') ?? '';
  const isShown = src !== '' && !src.startsWith('about:');
  return isShown ? src : (attribute('data-src') ?? attribute('data-lazy-src') ?? '');
}

/** A link with the title of the frame or the host as its text; empty for invisible frames. */
function linkTo(src: string, base: string, tag: StartTag): string {
  const address = src.trim() === '' ? null : resolveAddress(src, base);
  const url = address === null ? null : URL.parse(address);
  const isOfWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isOfWeb || isInvisible(tag)) {
    return '';
  }
  const title = cutAt(
    onOneLine(decodeReferences(tag.attributes.get('title') ?? '')),
    LONGEST_TITLE,
  );
  return `<a href="${escapeAttribute(url.href)}">${escapeHtml(title || url.hostname)}</a>`;
}

/** Tracking frames. */
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
