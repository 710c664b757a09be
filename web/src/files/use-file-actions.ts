import { ref, watch, type Ref } from 'vue';
import { page } from '../host/page-context.js';
import type { Entry } from './dav.js';
import { useEntryCommands } from './entry-commands.js';
import { actionsFor, type FileAction } from './file-actions.js';

/** File actions of external apps for some entries. */
export function useFileActions(entries: () => readonly Entry[]): {
  readonly actions: Ref<readonly FileAction[]>;
  readonly running: Ref<boolean>;
  run(action: FileAction): Promise<void>;
} {
  const commands = useEntryCommands();
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
    await commands.act(action, entries());
    running.value = false;
  }

  return { actions, running, run };
}
