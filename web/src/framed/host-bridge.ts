import {
  readHostMessage,
  sealed,
  type FrameMessage,
  type HostMessage,
  type Place,
} from '../app-frame/frame-messages.js';

/** Origin of the page around the frame, which the service wrote into the document. */
const hostOrigin =
  document.querySelector<HTMLMetaElement>('meta[name="gatefold-host"]')?.content ?? '';

const listeners = new Set<(message: HostMessage) => void>();

addEventListener('message', ({ data, origin, source }: MessageEvent<unknown>) => {
  const message = source === parent && origin === hostOrigin ? readHostMessage(data) : null;
  if (message !== null) {
    listeners.forEach((tell) => tell(message));
  }
});

/** Outside of a frame, there is no recipient. */
export function sendToHost(message: FrameMessage): void {
  if (parent !== window && hostOrigin !== '') {
    parent.postMessage(sealed(message), hostOrigin);
  }
}

/** @returns unsubscribes */
export function onHostMessage(listener: (message: HostMessage) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Opens a page of the host in place of the app; after a click or a key only. */
export function openPlace(place: Place, id: number | null = null): void {
  sendToHost({ type: 'open', place, id });
}

/** Resolves when the page around the frame has renewed the pass. */
export function renewPass(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onHostMessage(({ type }) => {
      if (type === 'renewed') {
        stop();
        resolve();
      }
    });
    sendToHost({ type: 'renew' });
  });
}
