import { table } from '../words.js';

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
  /** Offered by `<enclosure>`, which has no other purpose. */
  readonly isEnclosure?: boolean;
}

export interface Enclosure {
  readonly link: string;
  readonly mime: string;
}

const TYPES_BY_ENDING = table(`
  mp3=audio/mpeg m4a=audio/mp4 m4b=audio/mp4 aac=audio/aac oga=audio/ogg ogg=audio/ogg opus=audio/ogg
  flac=audio/flac wav=audio/wav weba=audio/webm
  mp4=video/mp4 m4v=video/mp4 mov=video/quicktime webm=video/webm ogv=video/ogg mpg=video/mpeg
  mpeg=video/mpeg mkv=video/x-matroska avi=video/x-msvideo
  jpg=image/jpeg jpeg=image/jpeg png=image/png gif=image/gif webp=image/webp avif=image/avif
  svg=image/svg+xml`);

/** Excluded from the first rule. @see chooseEnclosures */
const MORE_TYPES_BY_ENDING = table(
  '3gp=video/3gpp amr=audio/amr wma=audio/x-ms-wma wmv=video/x-ms-wmv',
);

/** The registered type of HTTP Live Streaming, which may be audio or video. */
const LIVE_STREAM = 'application/vnd.apple.mpegurl';

/** Meaningless types; the file extension decides instead. */
const VAGUE_TYPES = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/ogg',
]);

/** The enclosure that clients play, and the one that identifies an item without guid and link. */
export interface ChosenEnclosures {
  /** Chosen by the first rule alone: it identifies stored articles, so it can never change. */
  readonly enclosure: Enclosure | null;
  readonly shownEnclosure: Enclosure | null;
}

/**
 * Chooses the file that clients play. The reference lets the last medium of an item win; here the first
 * audio or video does, because podcasts list the episode first and its transcript, chapters or cover after
 * it. Files that only the later rules recognise follow, then live streams, pictures, and files of unknown
 * type; other types are ignored.
 */
export function chooseEnclosures(offers: readonly MediaOffer[]): ChosenEnclosures {
  const ofRule = (rule: (offer: MediaOffer, link: string) => string | null): Enclosure[] =>
    offers.flatMap((offer) => {
      const mime = offer.url && rule(offer, offer.url);
      return offer.url && mime ? [{ link: offer.url, mime }] : [];
    });
  const usual = ofRule(usualType);
  const recording = usual.find(({ mime }) => !mime.startsWith('image/'));
  const enclosure = recording ?? usual[0] ?? null;
  if (recording !== undefined) {
    return { enclosure, shownEnclosure: recording };
  }
  const unusual = ofRule(unusualType);
  const isLive = ({ mime }: Enclosure) => mime === LIVE_STREAM;
  const [found] = [...unusual.filter((one) => !isLive(one)), ...unusual.filter(isLive)];
  return { enclosure, shownEnclosure: found ?? enclosure ?? ofRule(guessedType)[0] ?? null };
}

/** The type that players go by; null if the file cannot be played or shown. */
export function playedType(offer: MediaOffer): string | null {
  const link = offer.url ?? '';
  return usualType(offer, link) ?? unusualType(offer, link) ?? guessedType(offer, link);
}

/** The first rule: the type as written, or the ending if it is meaningless. */
function usualType({ type, medium }: MediaOffer, link: string): string | null {
  const written = withoutParameters(type);
  if (/^(?:audio|video|image)\/[\w.+-]{1,100}$/.test(written)) {
    return written;
  }
  const kind = /^(audio|video|image)$/i.exec(medium ?? written)?.[1]?.toLowerCase();
  // Invalid types such as `mp3` are meaningless too.
  const isVague = VAGUE_TYPES.has(written) || !written.includes('/');
  if (!isVague && !kind) {
    return null;
  }
  const known = TYPES_BY_ENDING.get(endingOf(link));
  if (known && (!kind || known.startsWith(kind))) {
    return known;
  }
  if (written === 'application/ogg') {
    return 'audio/ogg';
  }
  return kind ? `${kind}/*` : null;
}

/** Recordings with a wrong type: the ending decides, else the type's hint, as in `application/mp3`. */
function unusualType({ type }: MediaOffer, link: string): string | null {
  const written = withoutParameters(type);
  const ending = endingOf(link);
  if (ending === 'm3u8' || /^application\/(?:vnd\.apple\.|x-)mpegurl$/.test(written)) {
    return LIVE_STREAM;
  }
  const [, kind = '', subtype = ''] =
    /^(?:([\w-]+)\/)?(?:x-)?([\w.+-]{1,100})$/.exec(written) ?? [];
  const said = /^x-(audio|video)$/.exec(kind)?.[1] ?? '';
  const candidates = [ending, subtype].map(
    (name) => TYPES_BY_ENDING.get(name) ?? MORE_TYPES_BY_ENDING.get(name),
  );
  return (
    candidates.find((known) => /^(?:audio|video)/.test(known ?? '') && known?.startsWith(said)) ??
    (said === '' ? null : `${said}/${subtype}`)
  );
}

/**
 * An `<enclosure>` with a length but neither type nor ending is nearly always an episode, at an address
 * that counts downloads such as `get.php`. Players detect the format from the content.
 */
function guessedType(offer: MediaOffer, link: string): string | null {
  const isUnknown =
    offer.isEnclosure === true &&
    withoutParameters(offer.type) === '' &&
    Number.parseInt(offer.length ?? '', 10) > 0 &&
    /^(?:|php|aspx?|cgi)$/.test(endingOf(link));
  return isUnknown ? 'audio/mpeg' : null;
}

function withoutParameters(type: string | null): string {
  return (type ?? '').toLowerCase().split(';', 1)[0]?.trim() ?? '';
}

/** The ending of the file's name in lower case; empty without one. */
function endingOf(link: string): string {
  const path = URL.parse(link)?.pathname ?? '';
  return /\.([^./]*)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
