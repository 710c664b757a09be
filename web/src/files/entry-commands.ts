import { defineStore } from 'pinia';
import { ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { useRouter } from 'vue-router';
import { addressOf, page } from '../host/page-context.js';
import { useToasts } from '../parts/toasts.store.js';
import { contentAddress, createFolder, relocate, remove, type Entry } from './dav.js';
import { actionsFor, runAction, type FileAction } from './file-actions.js';
import { previewOf } from './file-labels.js';
import { useFolder } from './folder.store.js';
import { folderOf, joined, topmost } from './paths.js';
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
export const useEntryCommands = defineStore('entry-commands', () => new EntryCommands());

class EntryCommands {
  readonly #t = useI18n().t;
  readonly #router = useRouter();
  readonly #folder = useFolder();
  readonly #toasts = useToasts();
  question = ref<Question | null>(null);
  previewed = ref<Entry | null>(null);

  readonly open = (entry: Entry): void => {
    if (entry.isFolder) {
      void this.#router.push(placeOf(entry.path));
    } else if (previewOf(entry) === 'none') {
      this.download([entry]);
    } else {
      this.previewed.value = entry;
    }
  };

  /** What a click does: the default action of an external app for a file, if there is one, else `open`. */
  readonly choose = async (entry: Entry): Promise<void> => {
    const asks = !entry.isFolder && page.parts.has('apps');
    const actions = asks ? await actionsFor([entry]).catch(() => []) : [];
    const action = actions.find(({ isDefault }) => isDefault);
    if (action === undefined) {
      this.open(entry);
    } else {
      await this.act(action, [entry]);
    }
  };

  /** Runs an action of an external app, whose page may be opened then. */
  readonly act = async (action: FileAction, entries: readonly Entry[]): Promise<void> => {
    try {
      const redirect = await runAction(action, entries);
      if (redirect !== undefined) {
        location.assign(redirect);
        return;
      }
      this.#toasts.show(this.#t('files.actionDone', { action: action.displayName }));
      await this.#folder.reload();
    } catch (error) {
      this.#toasts.fail(error);
    }
  };

  /** Folders are downloaded as archives. */
  readonly download = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      const link = document.createElement('a');
      link.href = entry.isFolder
        ? `${archiveAddress}?dir=${encodeURIComponent(`/${entry.path}`)}`
        : contentAddress(entry);
      link.download = entry.isFolder ? `${entry.name}.zip` : entry.name;
      link.click();
    }
  };

  /** Runs a change of the folder, reloads it and shows errors. */
  async #change(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#toasts.fail(error);
      return false;
    } finally {
      await this.#folder.reload();
    }
  }

  readonly addFolder = async (name: string): Promise<void> => {
    await this.#change(() => createFolder(joined(this.#folder.path, name)));
  };

  readonly rename = async (entry: Entry, name: string): Promise<void> => {
    if (name !== entry.name) {
      await this.#change(() => relocate('MOVE', entry.path, joined(folderOf(entry.path), name)));
    }
  };

  /** Moves to the trash, with undo; asks first where there is none. */
  readonly askToDelete = async (entries: readonly Entry[]): Promise<void> => {
    if (await hasTrash()) {
      await this.removeAll(entries);
      return;
    }
    this.question.value = { kind: 'delete', entries };
  };

  readonly removeAll = async (entries: readonly Entry[]): Promise<void> => {
    const removed: Entry[] = [];
    await this.#change(async () => {
      for (const entry of topmost(entries)) {
        await remove(entry);
        removed.push(entry);
      }
    });
    if (removed.length > 0) {
      const undo = {
        label: this.#t('files.trash.undo'),
        run: () => void this.#restoreAll(removed),
      };
      this.#toasts.show(
        this.#t('files.deleted', { count: removed.length }, removed.length),
        (await hasTrash()) ? { action: undo } : {},
      );
    }
  };

  async #restoreAll(entries: readonly Entry[]): Promise<void> {
    await this.#change(async () => {
      for (const entry of entries) {
        await restore(entry);
      }
    });
  }

  /** @param target path of a folder */
  readonly relocateAll = async (
    verb: 'MOVE' | 'COPY',
    entries: readonly Entry[],
    target: string,
  ): Promise<void> => {
    const done = await this.#change(async () => {
      for (const entry of topmost(entries)) {
        await relocate(verb, entry.path, joined(target, entry.name));
      }
    });
    if (done) {
      const place = target === '' ? this.#t('files.top') : target;
      const text = verb === 'MOVE' ? 'files.moved' : 'files.copied';
      this.#toasts.show(this.#t(text, { count: entries.length, place }, entries.length), {
        action: {
          label: this.#t('files.show'),
          run: () => void this.#router.push(placeOf(target)),
        },
      });
    }
  };

  readonly favor = async (entry: Entry): Promise<void> => {
    await this.#folder.favor(entry).catch(this.#toasts.fail);
  };
}
