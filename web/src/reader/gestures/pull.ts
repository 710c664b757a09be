import { onBeforeUnmount, ref, watch, type Ref } from 'vue';

/** Pulled at least this far and released, the list is refreshed. */
const ACTS_PIXELS = 64;
const MOST_PIXELS = 96;
/** The list follows the finger with resistance. */
const RESISTANCE = 0.5;

/**
 * Pulling a list down beyond its top. These are touch events, because the browser takes vertical
 * pointer movements for scrolling as soon as they begin; only cancelling a `touchmove` stops it.
 *
 * @returns how far it is pulled in pixels, and whether releasing it now refreshes
 */
export function usePull(
  scroller: Readonly<Ref<HTMLElement | null>>,
  refresh: () => unknown,
): { readonly pulled: Ref<number>; readonly acts: () => boolean } {
  const pulled = ref(0);
  let start: { x: number; y: number } | null = null;
  const acts = () => pulled.value >= ACTS_PIXELS;

  function begin({ touches }: TouchEvent): void {
    const [touch] = touches;
    const isAtTop = (scroller.value?.scrollTop ?? 1) <= 0;
    start =
      touch !== undefined && touches.length === 1 && isAtTop
        ? { x: touch.clientX, y: touch.clientY }
        : null;
  }

  function move(event: TouchEvent): void {
    const [touch] = event.touches;
    if (start === null || touch === undefined) {
      return;
    }
    const [right, down] = [touch.clientX - start.x, touch.clientY - start.y];
    if (pulled.value === 0 && (down <= 0 || Math.abs(right) > down)) {
      if (Math.hypot(right, down) > 8) {
        start = null;
      }
      return;
    }
    if (event.cancelable) {
      event.preventDefault();
    }
    pulled.value = Math.min(MOST_PIXELS, Math.max(0, down * RESISTANCE));
  }

  function end(): void {
    const isEnough = acts();
    cancel();
    if (isEnough) {
      void refresh();
    }
  }

  function cancel(): void {
    start = null;
    pulled.value = 0;
  }

  useTouches(scroller, { touchstart: begin, touchmove: move, touchend: end, touchcancel: cancel });
  return { pulled, acts };
}

type TouchHandlers = Readonly<Record<string, (event: TouchEvent) => void>>;

function useTouches(scroller: Readonly<Ref<HTMLElement | null>>, handlers: TouchHandlers): void {
  function listen(element: HTMLElement | null | undefined, change: 'add' | 'remove'): void {
    for (const [name, handle] of Object.entries(handlers)) {
      const passive = name !== 'touchmove';
      element?.[`${change}EventListener`](name, handle as EventListener, { passive });
    }
  }

  watch(scroller, (now, before) => {
    listen(before, 'remove');
    listen(now, 'add');
  });
  onBeforeUnmount(() => listen(scroller.value, 'remove'));
}
