import { onBeforeUnmount, ref, type Ref } from 'vue';

/** Whether the media query matches, updated on change. */
export function useMediaQuery(query: string): Readonly<Ref<boolean>> {
  const list = matchMedia(query);
  const matches = ref(list.matches);
  const update = () => (matches.value = list.matches);
  list.addEventListener('change', update);
  onBeforeUnmount(() => list.removeEventListener('change', update));
  return matches;
}
