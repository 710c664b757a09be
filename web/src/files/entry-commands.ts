import { defineStore } from 'pinia';
import { ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { useRouter } from 'vue-router';
import { addressOf, page } from '../host/page-context.js';
import { useToasts } from '../parts/toasts.store.js';
import {
  contentAddress,
  createFolder,
  folderOf,
  joined,
  relocate,
  remove,
  type Entry,
} from './dav.js';
import { actionsFor, runAction, type FileAction } from './file-actions.js';
import { previewOf } from './file-labels.js';
import { useFolder } from './folder.store.js';
import { placeOf } from './place-of.js';
import { hasTrash, restore } from './trash/trash-dav.js';

/** The question of a dialog before a command is carried out. */
export type Question =
  | { readonly kind: 'new-folder' }
  | { readonly kind: 'rename'; readonly entry: Entry }
  | { readonly kind: 'delete'; readonly entries: readonly Entry[] }
  | { readonly kind: 'MOVE' | 'COPY'; readonly entries: readonly Entry[] };

const archiveAddress = addressOf('/apps/files/ajax/download.php');

/** Everything that can be done with files and folders: by menu, toolbar, keyboard and dragging. */
export const useEntryCommands = defineStore('entry-commands', () => {
  const { t } = useI18n();
  const router = useRouter();
  const folder = useFolder();
  const toasts = useToasts();
  const question = ref<Question | null>(null);
  const previewed = ref<Entry | null>(null);

  function open(entry: Entry): void {
    if (entry.isFolder) {
      void router.push(placeOf(entry.path));
    } else if (previewOf(entry) === 'none') {
      download([entry]);
    } else {
      previewed.value = entry;
    }
  }

  /** What a click does: the default action of an external app for a file, if there is one, else `open`. */
  async function choose(entry: Entry): Promise<void> {
    const asks = !entry.isFolder && page.parts.has('apps');
    const actions = asks ? await actionsFor([entry]).catch(() => []) : [];
    const action = actions.find(({ isDefault }) => isDefault);
    if (action === undefined) {
      open(entry);
    } else {
      await act(action, [entry]);
    }
  }

  /** Runs an action of an external app, whose page may be opened then. */
  async function act(action: FileAction, entries: readonly Entry[]): Promise<void> {
    try {
      const redirect = await runAction(action, entries);
      if (redirect !== undefined) {
        location.assign(redirect);
        return;
      }
      toasts.show(t('files.actionDone', { action: action.displayName }));
      await folder.reload();
    } catch (error) {
      toasts.fail(error);
    }
  }

  /** Folders are downloaded as archives. */
  function download(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const link = document.createElement('a');
      link.href = entry.isFolder
        ? `${archiveAddress}?dir=${encodeURIComponent(`/${entry.path}`)}`
        : contentAddress(entry);
      link.download = entry.isFolder ? `${entry.name}.zip` : entry.name;
      link.click();
    }
  }

  /** Runs a change of the folder, reloads it and shows errors. */
  async function change(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      toasts.fail(error);
      return false;
    } finally {
      await folder.reload();
    }
  }

  async function addFolder(name: string): Promise<void> {
    await change(() => createFolder(joined(folder.path, name)));
  }

  async function rename(entry: Entry, name: string): Promise<void> {
    if (name !== entry.name) {
      await change(() => relocate('MOVE', entry.path, joined(folderOf(entry.path), name)));
    }
  }

  /** Moves to the trash, with undo; asks first where there is none. */
  async function askToDelete(entries: readonly Entry[]): Promise<void> {
    if (await hasTrash()) {
      await removeAll(entries);
      return;
    }
    question.value = { kind: 'delete', entries };
  }

  async function removeAll(entries: readonly Entry[]): Promise<void> {
    const removed: Entry[] = [];
    await change(async () => {
      for (const entry of topmost(entries)) {
        await remove(entry);
        removed.push(entry);
      }
    });
    if (removed.length > 0) {
      const undo = { label: t('files.trash.undo'), run: () => void restoreAll(removed) };
      toasts.show(
        t('files.deleted', { count: removed.length }, removed.length),
        (await hasTrash()) ? { action: undo } : {},
      );
    }
  }

  async function restoreAll(entries: readonly Entry[]): Promise<void> {
    await change(async () => {
      for (const entry of entries) {
        await restore(entry);
      }
    });
  }

  /** @param target path of a folder */
  async function relocateAll(
    verb: 'MOVE' | 'COPY',
    entries: readonly Entry[],
    target: string,
  ): Promise<void> {
    const done = await change(async () => {
      for (const entry of topmost(entries)) {
        await relocate(verb, entry.path, joined(target, entry.name));
      }
    });
    if (done) {
      const place = target === '' ? t('files.top') : target;
      const text = verb === 'MOVE' ? 'files.moved' : 'files.copied';
      toasts.show(t(text, { count: entries.length, place }, entries.length), {
        action: { label: t('files.show'), run: () => void router.push(placeOf(target)) },
      });
    }
  }

  async function favor(entry: Entry): Promise<void> {
    await folder.favor(entry).catch(toasts.fail);
  }

  return {
    question,
    previewed,
    open,
    choose,
    act,
    download,
    addFolder,
    rename,
    askToDelete,
    removeAll,
    relocateAll,
    favor,
  };
});

/** Removes entries inside of others, which a search finds together. */
function topmost(entries: readonly Entry[]): Entry[] {
  return entries.filter(
    ({ path }) => !entries.some((other) => other.isFolder && path.startsWith(`${other.path}/`)),
  );
}
