import { playerAddress } from '../html/frames.js';
import { cutAt, onOneLine, withoutTags } from '../html/plain-text.js';
import { playedType, type MediaOffer } from './enclosure.js';

/** A file that comes with an article. */
export interface Medium {
  /** Absolute http or https address. */
  readonly url: string;
  readonly mime: string | null;
  readonly kind: MediumKind;
  /** Plain text. */
  readonly title: string | null;
  /** Size in bytes, as the publisher says. */
  readonly length: number | null;
  /** Absolute address of a picture. */
  readonly thumbnail: string | null;
}

export type MediumKind = 'audio' | 'video' | 'image' | 'other';

/** Content of an entry besides its text and its main enclosure. */
export interface ArticleExtras {
  /** All files in order of preference, including the main one; empty if there is no other. */
  readonly media: readonly Medium[];
  /** Page with the comments. */
  readonly comments: string | null;
  /** Chapters of the recording, as JSON of Podcasting 2.0. */
  readonly chapters: string | null;
  /** Length of the recording, as the publisher says. */
  readonly durationSeconds: number | null;
  /** Plain texts. */
  readonly tags: readonly string[];
  /** Whether there were more tags, or longer ones. */
  readonly areTagsCut?: boolean;
}

export const NO_EXTRAS: ArticleExtras = {
  media: [],
  comments: null,
  chapters: null,
  durationSeconds: null,
  tags: [],
};

/** Of each kind, so that pictures do not displace the recording. */
const MOST_MEDIA = 20;
const MOST_TAGS = 30;
const LONGEST_TAG = 60;
const LONGEST_TITLE = 200;
const LARGEST_LENGTH = 10 ** 15;

/** Players of the past, and pages around a file. */
const NO_FILES = /^(?:application\/x-shockwave-flash|text\/html|application\/xhtml\+xml)$/;

/** The player that YouTube names in its feeds, which no longer exists. */
const FORMER_PLAYER =
  /^https?:\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/v\/([\w-]{6,20})(?![\w-]).*$/;

/**
 * Chooses the stored extras of an entry.
 *
 * @param offers all files of the entry, in order of preference
 * @param found addresses are absolute; tags and duration as written
 * @returns null if there is nothing
 */
export function extrasOf(
  offers: readonly MediaOffer[],
  found: {
    readonly comments: string | null;
    readonly chapters: string | null;
    readonly duration: string | null;
    readonly tags: readonly string[];
  },
): ArticleExtras | null {
  const media = mediaOf(offers);
  const extras: ArticleExtras = {
    media: media.length > 1 || media.some(needsStoring) ? media : [],
    comments: found.comments,
    chapters: found.chapters,
    durationSeconds: media.length > 0 ? secondsOf(found.duration ?? '') : null,
    ...tagsOf(found.tags),
  };
  const isEmpty =
    extras.media.length === 0 &&
    extras.tags.length === 0 &&
    extras.comments === null &&
    extras.chapters === null &&
    extras.durationSeconds === null;
  return isEmpty ? null : extras;
}

function mediaOf(offers: readonly MediaOffer[]): Medium[] {
  const media = new Map<string, Medium>();
  const alike = new Map<MediumKind, number>();
  for (const offer of offers) {
    const player = playerOf(offer.url ?? '');
    const played = playedType(offer);
    const url = player ?? offer.url;
    const mime = player === null ? mimeOf(offer, played) : 'text/html';
    const isFile = url !== null && (player !== null || !NO_FILES.test(mime ?? ''));
    const kind = player === null ? kindOf(played) : 'other';
    if (isFile && !media.has(url) && (alike.get(kind) ?? 0) < MOST_MEDIA) {
      alike.set(kind, (alike.get(kind) ?? 0) + 1);
      media.set(url, {
        url,
        mime,
        kind,
        title: lineOf(offer.title ?? '', LONGEST_TITLE),
        length: lengthOf(offer.length ?? ''),
        thumbnail: offer.thumbnail ?? null,
      });
    }
  }
  return [...media.values()];
}

/** The columns of an article hold no other kinds of files. */
function needsStoring({ kind }: Medium): boolean {
  return kind === 'other';
}

/** The page of an embedded player that the sanitiser lets through in bodies, too; null for others. */
export function playerOf(url: string): string | null {
  return playerAddress(
    url.replace(FORMER_PLAYER, 'https://www.youtube-nocookie.com/embed/$1'),
    url,
  );
}

/** As written, unless that is the type of a page around the file. */
function mimeOf({ type }: MediaOffer, played: string | null): string | null {
  const written = (type ?? '').toLowerCase().split(';', 1)[0]?.trim() ?? '';
  if (NO_FILES.test(written) && played !== null && !played.endsWith('*')) {
    return played;
  }
  return /^[\w.+-]{1,60}\/[\w.+*-]{1,100}$/.test(written) ? written : null;
}

function kindOf(played: string | null): MediumKind {
  const kind = /^(?:audio|video|image)\//.exec(played ?? '')?.[0].slice(0, -1);
  // The pages show pictures of other types only.
  return kind === undefined || played === 'image/svg+xml' ? 'other' : (kind as MediumKind);
}

function lengthOf(written: string): number | null {
  const length = /^\s*(\d{1,16})\s*$/.exec(written)?.[1];
  return length === undefined || Number(length) === 0 || Number(length) > LARGEST_LENGTH
    ? null
    : Number(length);
}

/** A duration written as `3750`, `62:30` or `1:02:30`; null for other forms, and from 100 hours on. */
function secondsOf(written: string): number | null {
  const [, hours = 0, minutes = 0, seconds = 0] =
    /^\s*(?:(?:(\d{1,2}):)?(\d{1,4}):)?(\d{1,6})(?:\.\d*)?\s*$/.exec(written) ?? [];
  const duration = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return duration > 0 && duration < 360_000 ? duration : null;
}

function tagsOf(written: readonly string[]): Pick<ArticleExtras, 'tags' | 'areTagsCut'> {
  const tags = new Map<string, string>();
  let areCut = false;
  for (const text of written) {
    const tag = lineOf(text, LONGEST_TAG);
    const isNew = tag !== null && !tags.has(tag.toLowerCase());
    areCut ||= isNew && (tags.size === MOST_TAGS || lineOf(text, LONGEST_TAG + 1) !== tag);
    if (isNew && tags.size < MOST_TAGS) {
      tags.set(tag.toLowerCase(), tag);
    }
  }
  return { tags: [...tags.values()], ...(areCut && { areTagsCut: true }) };
}

/** Plain text on one line, cut; null if nothing is left. */
export function lineOf(text: string, characters: number): string | null {
  const line = cutAt(withoutTags(onOneLine(text.slice(0, 4 * characters))), characters);
  return line === '' ? null : line;
}
