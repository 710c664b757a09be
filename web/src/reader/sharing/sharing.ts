import { shallowRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { useToasts } from '../../parts/toasts.store.js';

/** The page of an article that is shared. */
export interface Shared {
  readonly url: string;
  readonly title: string;
}

/** Opens the menu of the open article; null without one. */
export const openShareMenu = shallowRef<(() => unknown) | null>(null);

/** Ways to pass on the address of an article. */
export function useSharing() {
  const { t } = useI18n();
  const toasts = useToasts();

  /** Whether the browser can hand over an address to other programs. */
  const canShare = typeof navigator.share === 'function';

  const copyLink = ({ url }: Pick<Shared, 'url'>) => copy(url, t('reader.sharing.copied'));

  async function copy(text: string, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      toasts.show(done);
    } catch {
      // The clipboard needs a secure context.
      toasts.show(t('shell.notCopied'), { kind: 'error' });
    }
  }

  async function share({ url, title }: Shared): Promise<void> {
    try {
      await navigator.share({ url, title });
    } catch (error) {
      if ((error as Error).name !== 'AbortError') {
        toasts.show(t('reader.sharing.failed'), { kind: 'error' });
      }
    }
  }

  return { canShare, copy, copyLink, share, mailAddress };
}

/** Opens a new message with the address in the visitor's mail program. */
export function mailAddress({ url, title }: Shared): string {
  return `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(url)}`;
}
