import { watch } from 'vue';
import {
  AHEAD_SECONDS,
  audio,
  BACK_SECONDS,
  playback,
  playing,
  playNext,
  seekTo,
  skip,
  stopPlaying,
  togglePlaying,
} from './player.js';

/** Shows the recording on lock screens, and obeys the keys of headphones and keyboards. */
export function shareWithSystem(): void {
  if (!('mediaSession' in navigator)) {
    return;
  }
  const { mediaSession } = navigator;
  const actions: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: () => audio.paused && togglePlaying(),
    pause: () => audio.pause(),
    stop: stopPlaying,
    seekbackward: ({ seekOffset }) => skip(-(seekOffset ?? BACK_SECONDS)),
    seekforward: ({ seekOffset }) => skip(seekOffset ?? AHEAD_SECONDS),
    seekto: ({ seekTime }) => seekTime !== undefined && seekTo(seekTime),
    nexttrack: () => playNext(),
  };
  for (const [action, handler] of Object.entries(actions)) {
    try {
      mediaSession.setActionHandler(action as MediaSessionAction, handler);
    } catch {
      // Browsers know different actions.
    }
  }
  watch(
    playing,
    (recording) => {
      mediaSession.metadata =
        recording === null
          ? null
          : new MediaMetadata({
              title: recording.title,
              artist: recording.feedTitle,
              artwork: recording.picture === null ? [] : [{ src: recording.picture }],
            });
    },
    { immediate: true },
  );
  watch([() => Math.floor(playback.position), () => playback.duration], ([position, duration]) => {
    if (duration > 0 && position <= duration) {
      mediaSession.setPositionState({ position, duration, playbackRate: audio.playbackRate });
    }
  });
}
