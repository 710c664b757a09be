import { computed, ref, useId, watch, type ModelRef } from 'vue';

/**
 * The list of a combobox: the arrow keys choose, Enter takes, Escape closes.
 *
 * @param choices what is offered now
 * @param aria attributes of the field
 */
export function useOfferedList<Choice>(
  choices: () => readonly Choice[],
  aria: ModelRef<Readonly<Record<string, unknown>>>,
  then: {
    readonly take: (choice: Choice) => void;
    readonly close: () => void;
    /** Enter chooses the first if none is chosen yet. */
    readonly beginsByEnter?: boolean;
  },
) {
  const listId = useId();
  const current = ref(-1);
  const optionId = (index: number) => `${listId}-${index}`;
  const attributes = computed(() =>
    choices().length > 0
      ? {
          'aria-expanded': true,
          'aria-controls': listId,
          'aria-activedescendant': current.value < 0 ? undefined : optionId(current.value),
        }
      : {},
  );
  watch(attributes, (given) => (aria.value = given), { immediate: true });

  /** @returns whether the key was for the list */
  function onKey({ key, isComposing }: KeyboardEvent): boolean {
    const { length } = choices();
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const choice = choices()[current.value];
    if (length === 0 || isComposing) {
      return false;
    }
    if (step !== undefined) {
      current.value =
        current.value < 0 && step < 0 ? length - 1 : (current.value + step + length) % length;
      document.getElementById(optionId(current.value))?.scrollIntoView({ block: 'nearest' });
      return true;
    }
    if (key === 'Enter' && choice !== undefined) {
      then.take(choice);
      return true;
    }
    if (key === 'Enter' && then.beginsByEnter) {
      current.value = 0;
      return true;
    }
    if (key === 'Escape') {
      then.close();
      return true;
    }
    return false;
  }

  return { listId, current, optionId, onKey };
}
