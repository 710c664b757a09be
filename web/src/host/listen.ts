import { onBeforeUnmount, onMounted } from 'vue';

/** Listens while the component is mounted. */
export function useListener(
  target: EventTarget,
  name: string,
  listener: (event: never) => unknown,
): void {
  onMounted(() => target.addEventListener(name, listener as EventListener));
  onBeforeUnmount(() => target.removeEventListener(name, listener as EventListener));
}
