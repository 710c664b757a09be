import type { Position } from './known-positions.js';

/** Something to listen to. */
export interface Recording {
  readonly itemId: number;
  readonly title: string;
  readonly feedTitle: string;
  readonly url: string;
  readonly picture: string | null;
}

/** A recording and those that play next. */
export interface Playlist {
  /** The recording in the player; null: none. */
  readonly current: Recording | null;
  readonly queue: readonly Recording[];
}

/** State of an audio element; times are in seconds. */
export interface Heard {
  readonly itemId: number;
  readonly currentTime: number;
  readonly duration: number;
  readonly ended: boolean;
}

export const MOST_QUEUED = 50;

/** The end of a recording is often applause: listened to is listened to. */
const END_SECONDS = 5;

/** The position to keep; what was listened to begins again. */
export function positionIn({ itemId, currentTime, duration, ended }: Heard): Position {
  const isOver = ended || duration - currentTime < END_SECONDS;
  return {
    itemId,
    position: isOver ? 0 : Math.floor(currentTime),
    duration: Number.isFinite(duration) ? Math.round(duration) : null,
  };
}

/** @returns the playlist with another recording, and the position of the former one, to be kept */
export function playInstead(
  { queue }: Playlist,
  recording: Recording,
  former: Heard | null,
): Playlist & { readonly left: Position | null } {
  return {
    current: { ...recording },
    queue: without(queue, recording.url),
    left: former === null ? null : positionIn(former),
  };
}

/** @returns null if the queue is full */
export function withQueued(list: Playlist, recording: Recording): Playlist | null {
  if (list.queue.some(({ url }) => url === recording.url)) {
    return list;
  }
  if (list.queue.length >= MOST_QUEUED) {
    return null;
  }
  return list.current === null
    ? { ...list, current: { ...recording } }
    : { ...list, queue: [...list.queue, { ...recording }] };
}

export function without(queue: readonly Recording[], url: string): readonly Recording[] {
  return queue.filter((recording) => recording.url !== url);
}

/** @param by -1: earlier, 1: later */
export function moved(queue: readonly Recording[], url: string, by: -1 | 1): readonly Recording[] {
  const at = queue.findIndex((recording) => recording.url === url);
  const order = [...queue];
  const [one] = at < 0 ? [] : order.splice(at, 1);
  return one === undefined ? queue : order.toSpliced(Math.max(0, at + by), 0, one);
}
