import { relationOf } from './link-relation.js';
import { webAddress } from '../web-address.js';
import type { XmlNode } from './xml-nodes.js';

/** Something a document offers to play or show beside the text. */
export interface MediaOffer {
  /** Absolute, null when it must not be followed. */
  readonly url: string | null;
  readonly type: string | null;
  /** Media RSS says `audio`, `video` or `image` where it leaves out the type. */
  readonly medium: string | null;
}

export interface Enclosure {
  readonly link: string;
  readonly mime: string;
}

const TYPES_BY_ENDING: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  m4b: 'audio/mp4',
  aac: 'audio/aac',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  wav: 'audio/wav',
  weba: 'audio/webm',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mpg: 'video/mpeg',
  mpeg: 'video/mpeg',
  mkv: 'video/x-matroska',
  avi: 'video/x-msvideo',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
};

/** Types that say nothing, so that the ending of the address may speak. */
const VAGUE_TYPES = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/ogg',
]);

/**
 * Chooses what clients play. The reference lets the last medium of an item win; here the first
 * audio or video does, because podcasts list the episode first and its transcript, chapters or
 * cover behind it. A picture is taken only for lack of both, anything else never.
 */
export function chooseEnclosure(offers: readonly MediaOffer[]): Enclosure | null {
  let picture: Enclosure | null = null;
  for (const offer of offers) {
    const link = offer.url;
    const mime = link && mimeOf(offer, link);
    if (!link || !mime) {
      continue;
    }
    if (!mime.startsWith('image/')) {
      return { link, mime };
    }
    picture ??= { link, mime };
  }
  return picture;
}

/** Everything an item offers, in the order in which it should be tried. */
export function offersOfItem(item: XmlNode, documentUrl: string): MediaOffer[] {
  const offer = (element: XmlNode, written: string | null): MediaOffer => ({
    url: webAddress(written, element.attribute('base') ?? documentUrl),
    type: element.attribute('type'),
    medium: element.attribute('medium'),
  });
  const enclosures = item.all('enclosure', 'enc:enclosure').map((enclosure) => {
    const written = ['url', 'resource', 'href'].map((name) => enclosure.attribute(name));
    return offer(enclosure, written.find((address) => address !== null) ?? enclosure.text);
  });
  const links = item
    .all('link', 'atom:link')
    .filter((link) => relationOf(link) === 'enclosure')
    .map((link) => offer(link, link.attribute('href') ?? link.text));
  const contents = item
    .all('content', 'atom:content')
    .filter((content) => content.attribute('src') !== null)
    .map((content) => offer(content, content.attribute('src')));
  const isDefault = (content: XmlNode): boolean =>
    content.attribute('isdefault')?.trim().toLowerCase() === 'true';
  const media = mediaElements(item, 'media:content');
  const inOrder = [
    ...media.filter(isDefault),
    ...media.filter((content) => !isDefault(content)),
  ].map((content) => offer(content, content.attribute('url')));
  return [...enclosures, ...links, ...contents, ...inOrder];
}

/** Elements of Media RSS may stand in an item, in its groups and in the contents of both. */
export function mediaElements(item: XmlNode, name: string): XmlNode[] {
  const groups = item.all('media:group');
  const contents = [item, ...groups].flatMap((holder) => holder.all('media:content'));
  return [item, ...groups, ...contents].flatMap((holder) => holder.all(name));
}

function mimeOf({ type, medium }: MediaOffer, link: string): string | null {
  const written = (type ?? '').toLowerCase().split(';', 1)[0]?.trim() ?? '';
  if (/^(?:audio|video|image)\/[\w.+-]{1,100}$/.test(written)) {
    return written;
  }
  const kind = /^(audio|video|image)$/i.exec(medium ?? written)?.[1]?.toLowerCase();
  // What is no type at all, such as `mp3`, says nothing either.
  const isVague = VAGUE_TYPES.has(written) || !written.includes('/');
  if (!isVague && !kind) {
    return null;
  }
  const path = URL.parse(link)?.pathname ?? '';
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const known = Object.hasOwn(TYPES_BY_ENDING, ending) ? TYPES_BY_ENDING[ending] : undefined;
  if (known && (!kind || known.startsWith(kind))) {
    return known;
  }
  if (written === 'application/ogg') {
    return 'audio/ogg';
  }
  return kind ? `${kind}/*` : null;
}
