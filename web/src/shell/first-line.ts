import { onBeforeUnmount, onMounted, onUpdated, ref, type Ref } from 'vue';

/**
 * For a row that wraps and shows its first line only: measured again with each change of its width, and of
 * the component.
 *
 * @returns how many children of the row stand on the first line
 */
export function useFirstLine(row: Readonly<Ref<HTMLElement | null>>): Readonly<Ref<number>> {
  const count = ref(Infinity);

  function measure(): void {
    const tops = [...(row.value?.children ?? [])].map((child) => (child as HTMLElement).offsetTop);
    const cut = tops.findIndex((top) => top > (tops[0] ?? 0));
    count.value = cut === -1 ? Infinity : cut;
  }

  const observer = new ResizeObserver(measure);
  onMounted(() => row.value && observer.observe(row.value));
  onUpdated(measure);
  onBeforeUnmount(() => observer.disconnect());
  return count;
}
