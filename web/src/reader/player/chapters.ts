import { computed, shallowRef, watch } from 'vue';
import { requestJson } from '../../host/http.js';
import { findItem } from '../model/items-api.js';
import { NEWS_ROOT } from '../model/news-request.js';
import { playback, playing, seekTo } from './player.js';
import { secondsOf } from './time-text.js';

export interface Chapter {
  readonly startSeconds: number;
  readonly title: string;
  /** The publisher's, http or https. */
  readonly url: string | null;
}

const LINE_OF_CHAPTER = /^[^\p{L}\p{N}]{0,3}((?:\d{1,2}:)?\d{1,2}:\d{2})[^\p{L}\p{N}]{1,5}(\S.*)$/u;
const END_OF_LINE = /<br\b[^>]*>|<\/(?:p|div|li|tr|h\d)\s*>/gi;
const MOST_CHAPTERS = 500;
const LONGEST_TITLE = 200;
/** Later in a chapter, the step back goes to its beginning. */
const BEGINNING_SECONDS = 3;
/** Browsers do not go to the exact place. */
const INEXACT_SECONDS = 0.1;

/** Chapters of the current recording, by start; empty: it has none, or they are not known yet. */
export const chapters = shallowRef<readonly Chapter[]>([]);

/** Index of the chapter that plays; -1: none. */
export const currentChapter = computed(() =>
  chapters.value.findLastIndex(
    ({ startSeconds }) => startSeconds <= playback.position + INEXACT_SECONDS,
  ),
);

/** @returns false without a later chapter */
export function toNextChapter(): boolean {
  const next = chapters.value[currentChapter.value + 1];
  if (next !== undefined) {
    seekTo(next.startSeconds);
  }
  return next !== undefined;
}

/** Goes to the beginning of the chapter, or to the one before if it has only begun. */
export function toPreviousChapter(): void {
  const at = currentChapter.value;
  const start = chapters.value[at]?.startSeconds ?? 0;
  const isBeginning = playback.position - start < BEGINNING_SECONDS;
  seekTo(isBeginning ? (chapters.value[at - 1]?.startSeconds ?? 0) : start);
}

/** Follows the player, as long as the component that calls it exists. */
export function loadChapters(): void {
  watch(
    () => playing.value?.itemId,
    async (itemId) => {
      chapters.value = [];
      const found = itemId === undefined ? [] : await chaptersOf(itemId);
      if (playing.value?.itemId === itemId) {
        chapters.value = found;
      }
    },
    { immediate: true },
  );
}

/** Never fails: a recording plays without them. */
async function chaptersOf(itemId: number): Promise<readonly Chapter[]> {
  try {
    const published = await requestJson<{ chapters: Chapter[] }>(
      `${NEWS_ROOT}/items/${itemId}/chapters`,
    );
    return published.chapters.length > 0
      ? published.chapters
      : chaptersInText((await findItem(itemId))?.body ?? '');
  } catch {
    return [];
  }
}

/** Lines such as `00:12:34 Title`, if there are several in ascending order. */
function chaptersInText(html: string): Chapter[] {
  const broken = html.replaceAll(END_OF_LINE, '$&\n');
  const text = new DOMParser().parseFromString(broken, 'text/html').body.textContent ?? '';
  const found = text.split('\n').flatMap((line): Chapter[] => {
    const [, time = '', title = ''] = LINE_OF_CHAPTER.exec(line.trim()) ?? [];
    const startSeconds = secondsOf(time);
    return startSeconds === null
      ? []
      : [{ startSeconds, title: title.slice(0, LONGEST_TITLE), url: null }];
  });
  const isAscending = found.every(
    ({ startSeconds }, n) => n === 0 || startSeconds > (found[n - 1]?.startSeconds ?? 0),
  );
  return found.length > 1 && isAscending ? found.slice(0, MOST_CHAPTERS) : [];
}
