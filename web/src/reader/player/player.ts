import { computed, reactive, shallowRef, watch } from 'vue';
import { preferenceArea } from '../../host/preferences.js';
import type { Position } from './known-positions.js';
import {
  moved,
  playInstead,
  positionIn,
  without,
  withQueued,
  type Heard,
  type Playlist,
  type Recording,
} from './playlist.js';
import {
  keepLatest,
  keepPosition,
  loadPositions,
  positions,
  savePositions,
  wasHere,
} from './positions.js';

interface PlayerPreferences extends Playlist {
  speed: number;
  current: Recording | null;
  queue: readonly Recording[];
}

const DEFAULTS: PlayerPreferences = {
  speed: 1,
  current: null,
  queue: [],
};

/** Steps of the buttons. */
export const BACK_SECONDS = 15;
export const AHEAD_SECONDS = 30;

const SAVE_SECONDS = 10;

const kept = preferenceArea<PlayerPreferences>('player', DEFAULTS);

/** Outside of all components, so that playback continues during navigation. */
export const audio = document.createElement('audio');
// Nothing is loaded from the publisher before playback.
audio.preload = 'none';

/** The recording in the player of this browser, the same on all pages. */
export const playing = shallowRef<Recording | null>(
  kept.current !== null && wasHere(kept.current.itemId) ? kept.current : null,
);

/** The recording of another browser, to continue here. */
export const elsewhere = computed(() => (playing.value === null ? kept.current : null));

/** State of the audio element; times are in seconds. */
export const playback = reactive({
  position: 0,
  duration: 0,
  isPaused: true,
  isBroken: false,
  /** Whether it has played since the page was loaded. */
  hasPlayed: false,
});

/** What plays can be paused on every page; what was left another day waits in the reader. */
export function isPlayerShown(path: string): boolean {
  return playback.hasPlayed || path.startsWith('/apps/news');
}

export const queue = computed(() => kept.queue);
export const speed = computed(() => kept.speed);

/** Start position, set once the recording is loaded; its position is meaningless before. */
let beginsAt: number | null = null;
let savedAt = 0;

/** Plays a recording from where it was left, or from `seconds`. */
export function play(recording: Recording, seconds?: number): void {
  if (playing.value?.url === recording.url) {
    restore();
    if (seconds !== undefined) {
      seekTo(seconds);
    }
    start();
    return;
  }
  const { current, queue, left } = playInstead(kept, recording, heardNow());
  keep(left);
  Object.assign(kept, { current, queue });
  hold(recording, seconds);
  start();
}

/** Loads a recording into the player without starting it. */
function hold(recording: Recording, seconds?: number): void {
  playing.value = recording;
  playback.isBroken = false;
  keepLatest(recording.itemId);
  playback.duration = positions.durationOf(recording.itemId);
  playback.position = seconds ?? positions.positionOf(recording.itemId);
  beginsAt = playback.position;
  audio.src = recording.url;
  if (seconds === undefined) {
    void goOn(recording);
  }
}

/** Continues where another device has stopped, or where nothing was known of yet. */
async function goOn(recording: Recording): Promise<void> {
  await loadPositions();
  if (playing.value !== recording) {
    return;
  }
  playback.duration ||= positions.durationOf(recording.itemId);
  keepLatest(recording.itemId);
  const position = positions.positionOf(recording.itemId);
  if (Math.abs(position - playback.position) > SAVE_SECONDS) {
    seekTo(position);
  }
}

/** Restores the recording of the previous page. Never starts by itself. */
export function restore(): void {
  if (playing.value !== null && audio.src === '') {
    hold(playing.value);
  }
}

function start(): void {
  // The browser may refuse, or the recording may be missing; the player shows it.
  audio.play().catch(() => {});
}

export function togglePlaying(): void {
  if (playing.value === null) {
    return;
  }
  restore();
  if (audio.paused) {
    start();
  } else {
    audio.pause();
  }
}

export function seekTo(seconds: number): void {
  const position = Math.max(0, Math.min(seconds, playback.duration || seconds));
  playback.position = position;
  if (audio.readyState === HTMLMediaElement.HAVE_NOTHING) {
    beginsAt = position;
    return;
  }
  audio.currentTime = position;
  keepNow();
}

export function skip(seconds: number): void {
  seekTo(playback.position + seconds);
}

export function stopPlaying(): void {
  audio.pause();
  keepNow();
  kept.current = null;
  letGo();
}

function letGo(): void {
  playing.value = null;
  playback.hasPlayed = false;
  audio.removeAttribute('src');
  audio.load();
}

/** Ends what cannot be played; not what a connection may bring back. */
export function endIfUnplayable(): boolean {
  const isUnplayable =
    playback.isBroken && navigator.onLine && audio.error?.code !== MediaError.MEDIA_ERR_NETWORK;
  if (isUnplayable) {
    stopPlaying();
  }
  return isUnplayable;
}

/** @returns false without another recording */
export function playNext(): boolean {
  const [next] = kept.queue;
  if (next !== undefined) {
    play({ ...next });
  }
  return next !== undefined;
}

/** @returns false if the queue is full */
export function enqueue(recording: Recording): boolean {
  const list = withQueued(kept, recording);
  if (list === null) {
    return false;
  }
  const isFirst = list.current !== kept.current;
  Object.assign(kept, list);
  if (isFirst) {
    hold(recording);
  }
  return true;
}

export function removeFromQueue(url: string): void {
  kept.queue = without(kept.queue, url);
}

/** @param by -1: earlier, 1: later */
export function moveInQueue(url: string, by: -1 | 1): void {
  kept.queue = moved(kept.queue, url, by);
}

export function chooseSpeed(chosen: number): void {
  kept.speed = chosen;
}

function keepNow(): void {
  const heard = heardNow();
  keep(heard === null ? null : positionIn(heard));
}

/** Null without a recording, or before its position has a meaning. */
function heardNow(): Heard | null {
  const { currentTime, duration, ended } = audio;
  return playing.value === null || beginsAt !== null
    ? null
    : { itemId: playing.value.itemId, currentTime, duration, ended };
}

function keep(position: Position | null): void {
  if (position !== null) {
    savedAt = audio.currentTime;
    keepPosition(position);
  }
}

audio.addEventListener('loadedmetadata', () => {
  if (beginsAt !== null && beginsAt > 0) {
    audio.currentTime = beginsAt;
  }
  // Where it begins is not saved again: another device may have been later.
  savedAt = beginsAt ?? 0;
  beginsAt = null;
  playback.duration = Number.isFinite(audio.duration) ? audio.duration : playback.duration;
  audio.playbackRate = kept.speed;
});
audio.addEventListener('timeupdate', () => {
  if (beginsAt !== null) {
    return;
  }
  playback.position = audio.currentTime;
  if (!audio.paused && Math.abs(audio.currentTime - savedAt) >= SAVE_SECONDS) {
    keepNow();
  }
});
audio.addEventListener('play', () => {
  playback.isPaused = false;
  playback.hasPlayed = true;
});
audio.addEventListener('pause', () => {
  playback.isPaused = true;
  keepNow();
});
audio.addEventListener('ended', () => {
  playback.position = 0;
  keepNow();
  playNext();
});
audio.addEventListener('error', () => {
  playback.isBroken = audio.hasAttribute('src');
});
watch(speed, (now) => (audio.playbackRate = now));
// Another browser plays or has stopped: it is offered here. A recording that plays is not interrupted.
watch(
  () => kept.current,
  (now) => {
    if (audio.paused && playing.value !== null && now?.url !== playing.value.url) {
      letGo();
    }
  },
);
document.addEventListener('visibilitychange', () => {
  if (document.hidden && !audio.paused) {
    keepNow();
  }
});
window.addEventListener('online', () => void savePositions());
