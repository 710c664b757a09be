import { onBeforeUnmount, ref, type Ref } from 'vue';

/** Whether the media query matches, updated on change. */
export function useMediaQuery(query: string): Readonly<Ref<boolean>> {
  const list = matchMedia(query);
  const matches = ref(list.matches);
  const look = () => (matches.value = list.matches);
  list.addEventListener('change', look);
  onBeforeUnmount(() => list.removeEventListener('change', look));
  return matches;
}
