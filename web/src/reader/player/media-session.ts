import { watch } from 'vue';
import { chapters, toNextChapter, toPreviousChapter } from './chapters.js';
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
    nexttrack: () => toNextChapter() || playNext(),
  };
  for (const [action, handler] of Object.entries(actions)) {
    obey(action as MediaSessionAction, handler);
  }
  watch(
    () => chapters.value.length > 0,
    (hasChapters) => obey('previoustrack', hasChapters ? toPreviousChapter : null),
    { immediate: true },
  );
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

function obey(action: MediaSessionAction, handler: MediaSessionActionHandler | null): void {
  try {
    navigator.mediaSession.setActionHandler(action, handler);
  } catch {
    // Browsers know different actions.
  }
}
