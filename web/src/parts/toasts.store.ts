import { defineStore } from 'pinia';
import { ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { reasonOf } from './reason-of.js';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'info' | 'error';
  /** Undo, for example after a deletion. */
  readonly action?: { readonly label: string; run(): void };
}

const SHOWN_MILLISECONDS = 6_000;
/** Long enough to notice, read and press the button. */
const SHOWN_WITH_ACTION_MILLISECONDS = 12_000;

/** Short messages at the edge of the page. First used in the set-up of a component, which knows the texts. */
export const useToasts = defineStore('toasts', () => {
  const toasts = ref<Toast[]>([]);
  const { t } = useI18n({ useScope: 'global' });
  let lastId = 0;

  function dismiss(id: number): void {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  }

  function show(text: string, options: Partial<Pick<Toast, 'kind' | 'action'>> = {}): void {
    lastId += 1;
    const toast: Toast = { id: lastId, text, kind: 'info', ...options };
    // A repeated message takes the place of the former one.
    const isOther = (shown: Toast) =>
      shown.text !== text || shown.kind !== toast.kind || shown.action !== undefined;
    toasts.value = [...toasts.value.filter(isOther), toast];
    setTimeout(
      () => dismiss(toast.id),
      toast.action === undefined ? SHOWN_MILLISECONDS : SHOWN_WITH_ACTION_MILLISECONDS,
    );
  }

  /**
   * Shows an error with the service's message.
   *
   * @param fallback used if the service sent none
   */
  function fail(error: unknown, fallback = t('shell.failed')): void {
    show(reasonOf(error, fallback), { kind: 'error' });
  }

  /**
   * Shows the error of work that fails. Never rejects.
   *
   * @param done shown after work that succeeds
   * @returns whether it succeeded
   */
  async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      fail(error);
      return false;
    }
    if (done !== undefined) {
      show(done);
    }
    return true;
  }

  return { toasts, show, fail, attempt, dismiss };
});
