import { ref } from 'vue';

const RULE_DRAGGED = 'application/x-gatefold-rule';

/** Drags elements with `data-rule` within their list. */
export function useRuleDrag(onDrop: (id: number, to: number) => void) {
  const dragged = ref<number | null>(null);
  /** Place in the list that a drop would give. */
  const target = ref<number | null>(null);

  const elementOf = ({ target: on }: Event) =>
    (on as Element).closest<HTMLElement>('[data-rule]') ?? null;

  return {
    dragged,
    target,
    on: {
      dragstart(event: DragEvent) {
        dragged.value = Number(elementOf(event)?.dataset['rule']) || null;
        event.dataTransfer?.setData(RULE_DRAGGED, String(dragged.value));
      },
      dragover(event: DragEvent) {
        const over = elementOf(event);
        if (dragged.value !== null && over !== null) {
          event.preventDefault();
          target.value = Number(over.dataset['at']);
        }
      },
      drop(event: DragEvent) {
        event.preventDefault();
        if (dragged.value !== null && target.value !== null) {
          onDrop(dragged.value, target.value);
        }
      },
      dragend() {
        dragged.value = null;
        target.value = null;
      },
    },
  };
}
