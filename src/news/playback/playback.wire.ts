import type { PlaybackPosition } from './playback.repository.js';

/** Times in seconds. */
export function toPositionJson(position: PlaybackPosition) {
  const { itemId, positionSeconds, durationSeconds, device, listenedSeconds } = position;
  return {
    itemId,
    position: positionSeconds,
    duration: durationSeconds,
    device,
    listenedAt: listenedSeconds,
  };
}
