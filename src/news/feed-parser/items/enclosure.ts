/** A media file that an item offers besides its text. */
export interface MediaOffer {
  /** Absolute; null if missing or not http(s). */
  readonly url: string | null;
  readonly type: string | null;
  /** Media RSS: `audio`, `video` or `image`, often instead of a type. */
  readonly medium: string | null;
  readonly title?: string | null;
  /** Bytes, as written. */
  readonly length?: string | null;
  /** Absolute address of a picture. */
  readonly thumbnail?: string | null;
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

/** Meaningless types; the file extension decides instead. */
const VAGUE_TYPES = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/ogg',
]);

/**
 * Chooses what clients play. The reference lets the last medium of an item win; here the first
 * audio or video does, because podcasts list the episode first and its transcript, chapters or
 * cover after it. A picture is the fallback; other types are ignored.
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

function mimeOf({ type, medium }: MediaOffer, link: string): string | null {
  const written = (type ?? '').toLowerCase().split(';', 1)[0]?.trim() ?? '';
  if (/^(?:audio|video|image)\/[\w.+-]{1,100}$/.test(written)) {
    return written;
  }
  const kind = /^(audio|video|image)$/i.exec(medium ?? written)?.[1]?.toLowerCase();
  // Invalid types such as `mp3` are meaningless too.
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
