import { shallowRef } from 'vue';
import { isMirrored } from '../../host/direction.js';

/** A movement is a swipe from here on, unless it is rather a vertical one. */
const BEGINS_PIXELS = 12;
/** Released beyond this distance, a swipe acts. */
const ACTS_PIXELS = 72;

export interface Swipe<T> {
  readonly of: T;
  /** Distance from where it began in pixels; negative to where lines begin. */
  readonly offset: number;
  /** Whether it would act if released now. */
  readonly acts: boolean;
}

interface SwipeOptions<T> {
  /** The object that is swiped at a place of the page; null: nothing there. */
  readonly of: (target: Element) => T | null;
  /** Towards the start of lines: the left, unless the page is mirrored. */
  readonly onBack: (of: T) => unknown;
  readonly onAhead: (of: T) => unknown;
}

/**
 * Horizontal swipes with a finger. The element needs `touch-action: pan-y`, so that the browser
 * scrolls vertically and leaves horizontal movements to the page.
 */
export function useSwipe<T>({ of, onBack, onAhead }: SwipeOptions<T>) {
  const swipe = shallowRef<Swipe<T> | null>(null);
  let start: { pointerId: number; x: number; y: number; of: T } | null = null;

  function onPointerdown(event: PointerEvent): void {
    start = null;
    if (event.pointerType !== 'touch' || !event.isPrimary) {
      return;
    }
    const target = of(event.target as Element);
    if (target !== null) {
      start = { pointerId: event.pointerId, x: event.clientX, y: event.clientY, of: target };
    }
  }

  function onPointermove(event: PointerEvent): void {
    if (start === null || event.pointerId !== start.pointerId) {
      return;
    }
    const offset = (event.clientX - start.x) * (isMirrored() ? -1 : 1);
    if (swipe.value === null) {
      const isVertical = Math.abs(event.clientY - start.y) > Math.abs(offset);
      if (Math.abs(offset) < BEGINS_PIXELS) {
        return;
      }
      if (isVertical) {
        start = null;
        return;
      }
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    }
    swipe.value = { of: start.of, offset, acts: Math.abs(offset) >= ACTS_PIXELS };
  }

  function onPointerup(): void {
    const ended = swipe.value;
    cancel();
    if (ended?.acts) {
      (ended.offset < 0 ? onBack : onAhead)(ended.of);
    }
  }

  function cancel(): void {
    start = null;
    swipe.value = null;
  }

  return {
    swipe,
    on: {
      pointerdown: onPointerdown,
      pointermove: onPointermove,
      pointerup: onPointerup,
      pointercancel: cancel,
    },
  };
}
