import { z } from 'zod';
import { lineOf } from '../../feed-parser/items/extras.js';

export interface Chapter {
  /** From the beginning of the recording; may have decimals. */
  readonly startSeconds: number;
  /** Plain text, at most 200 characters. */
  readonly title: string;
  /** http or https, or null. */
  readonly url: string | null;
}

const MOST_CHAPTERS = 500;
const LONGEST_TITLE = 200;
const LONGEST_ADDRESS = 2_000;
/** A week. */
const LONGEST_RECORDING_SECONDS = 604_800;

const ChaptersDocument = z.object({
  version: z.string().max(20),
  chapters: z.array(z.unknown()),
});

const ChapterOfDocument = z.object({
  startTime: z.number().min(0).max(LONGEST_RECORDING_SECONDS),
  title: z.string(),
  url: z.unknown().optional(),
  /** False: not for lists of chapters. */
  toc: z.unknown().optional(),
});

/**
 * Reads JSON chapters of Podcasting 2.0. Chapters without a start or title are left out.
 *
 * @returns by start; at most 500; none if the document is something else
 */
export function readChapters(bytes: Uint8Array): Chapter[] {
  const document = ChaptersDocument.safeParse(parse(bytes));
  const chapters = (document.data?.chapters ?? [])
    .slice(0, MOST_CHAPTERS)
    .flatMap((written) => chapterOf(written) ?? []);
  return chapters.toSorted((one, other) => one.startSeconds - other.startSeconds);
}

function parse(bytes: Uint8Array): unknown {
  try {
    // Without the byte order mark, if there is one.
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

function chapterOf(written: unknown): Chapter | null {
  const { data } = ChapterOfDocument.safeParse(written);
  const title = data && lineOf(data.title, LONGEST_TITLE);
  return !data || !title || data.toc === false
    ? null
    : { startSeconds: data.startTime, title, url: webAddressOf(data.url) };
}

function webAddressOf(written: unknown): string | null {
  const url = typeof written === 'string' ? URL.parse(written) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return url && isWeb && url.href.length <= LONGEST_ADDRESS ? url.href : null;
}
