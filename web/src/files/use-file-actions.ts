import { ref, watch, type Ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { page } from '../host/page-context.js';
import { useToasts } from '../parts/toasts.store.js';
import type { Entry } from './dav.js';
import { actionsFor, runAction, type FileAction } from './file-actions.js';
import { useFolder } from './folder.store.js';

/** File actions of external apps for some entries. */
export function useFileActions(entries: () => readonly Entry[]): {
  readonly actions: Ref<readonly FileAction[]>;
  readonly running: Ref<boolean>;
  run(action: FileAction): Promise<void>;
} {
  const { t } = useI18n();
  const toasts = useToasts();
  const folder = useFolder();
  const actions = ref<readonly FileAction[]>([]);
  const running = ref(false);
  let asked = 0;

  watch(
    () =>
      entries()
        .map(({ fileId }) => fileId)
        .join(),
    async () => {
      asked += 1;
      const own = asked;
      // On failure the host's own actions remain available.
      const found = page.parts.has('apps')
        ? await actionsFor(entries()).catch((): FileAction[] => [])
        : [];
      if (own === asked) {
        actions.value = found;
      }
    },
    { immediate: true },
  );

  async function run(action: FileAction): Promise<void> {
    running.value = true;
    try {
      const redirect = await runAction(action, entries());
      if (redirect !== undefined) {
        location.assign(redirect);
        return;
      }
      toasts.show(t('files.actionDone', { action: action.displayName }));
      await folder.reload();
    } catch (error) {
      toasts.fail(error);
    } finally {
      running.value = false;
    }
  }

  return { actions, running, run };
}
