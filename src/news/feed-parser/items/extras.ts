import { cutAt, onOneLine, withoutTags } from '../html/plain-text.js';
import type { MediaOffer } from './enclosure.js';

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

/** What an entry has besides its text and the one file that clients are told of. */
export interface ArticleExtras {
  /** All files in order of preference, the known one included; empty if there is no other. */
  readonly media: readonly Medium[];
  /** Page with the comments. */
  readonly comments: string | null;
  /** Chapters of the recording, as JSON of Podcasting 2.0. */
  readonly chapters: string | null;
  /** Plain texts. */
  readonly tags: readonly string[];
}

export const NO_EXTRAS: ArticleExtras = { media: [], comments: null, chapters: null, tags: [] };

const MOST_MEDIA = 20;
const MOST_TAGS = 10;
const LONGEST_TAG = 60;
const LONGEST_TITLE = 200;
const LARGEST_LENGTH = 10 ** 15;

/** Players of the past, and pages around a file. */
const NO_FILES = /^(?:application\/x-shockwave-flash|text\/html|application\/xhtml\+xml)$/;

/** Kinds by the ending of an address, for files without a meaningful type. */
const KINDS_BY_ENDING: readonly (readonly [RegExp, MediumKind])[] = [
  [/\.(?:mp3|m4a|m4b|aac|oga|ogg|opus|flac|wav|weba)$/i, 'audio'],
  [/\.(?:mp4|m4v|mov|webm|ogv|mpe?g|mkv)$/i, 'video'],
  [/\.(?:jpe?g|png|gif|webp|avif)$/i, 'image'],
];

/**
 * Chooses what is stored of an entry besides its columns.
 *
 * @param offers all files of the entry, in order of preference
 * @param found addresses are absolute; tags as written
 * @returns null if there is nothing
 */
export function extrasOf(
  offers: readonly MediaOffer[],
  found: {
    readonly comments: string | null;
    readonly chapters: string | null;
    readonly tags: readonly string[];
  },
): ArticleExtras | null {
  const media = mediaOf(offers);
  const extras: ArticleExtras = {
    media: media.length > 1 || media.some(needsStoring) ? media : [],
    comments: found.comments,
    chapters: found.chapters,
    tags: tagsOf(found.tags),
  };
  const isEmpty =
    extras.media.length === 0 &&
    extras.tags.length === 0 &&
    extras.comments === null &&
    extras.chapters === null;
  return isEmpty ? null : extras;
}

function mediaOf(offers: readonly MediaOffer[]): Medium[] {
  const media = new Map<string, Medium>();
  for (const offer of offers) {
    const mime = mimeOf(offer);
    const isFile = offer.url !== null && !NO_FILES.test(mime ?? '');
    if (isFile && offer.url !== null && !media.has(offer.url) && media.size < MOST_MEDIA) {
      media.set(offer.url, {
        url: offer.url,
        mime,
        kind: kindOf(offer, mime),
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

function mimeOf({ type }: MediaOffer): string | null {
  const written = (type ?? '').toLowerCase().split(';', 1)[0]?.trim() ?? '';
  return /^[\w.+-]{1,60}\/[\w.+*-]{1,100}$/.test(written) ? written : null;
}

function kindOf({ url, medium }: MediaOffer, mime: string | null): MediumKind {
  const said = /^(?:audio|video|image)\b/i.exec(mime ?? medium ?? '')?.[0];
  if (said !== undefined) {
    // The pages show pictures of other types only.
    return mime === 'image/svg+xml' ? 'other' : (said.toLowerCase() as MediumKind);
  }
  const path = URL.parse(url ?? '')?.pathname ?? '';
  const isVague = mime === null || mime.endsWith('/octet-stream') || mime === 'application/ogg';
  const known = isVague ? KINDS_BY_ENDING.find(([ending]) => ending.test(path)) : undefined;
  return known?.[1] ?? 'other';
}

function lengthOf(written: string): number | null {
  const length = /^\s*(\d{1,16})\s*$/.exec(written)?.[1];
  return length === undefined || Number(length) === 0 || Number(length) > LARGEST_LENGTH
    ? null
    : Number(length);
}

function tagsOf(written: readonly string[]): string[] {
  const tags = new Map<string, string>();
  for (const text of written) {
    const tag = lineOf(text, LONGEST_TAG);
    if (tag !== null && tags.size < MOST_TAGS && !tags.has(tag.toLowerCase())) {
      tags.set(tag.toLowerCase(), tag);
    }
  }
  return [...tags.values()];
}

/** Plain text on one line, cut; null if nothing is left. */
export function lineOf(text: string, characters: number): string | null {
  const line = cutAt(withoutTags(onOneLine(text.slice(0, 4 * characters))), characters);
  return line === '' ? null : line;
}
