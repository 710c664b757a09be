import { defineStore } from 'pinia';
import { computed, reactive, ref } from 'vue';
import { RequestFailed } from '../../host/http.js';
import { createFolder, upload } from '../dav.js';
import { folderOf, foldersBelow, joined, numbered } from '../paths.js';

export interface Upload {
  readonly id: number;
  readonly name: string;
  /** Target folder. */
  readonly folder: string;
  /** Number of leading path segments of the folder that already exist. */
  readonly knownDepth: number;
  readonly file: File;
  state: 'waiting' | 'sending' | 'conflict' | 'done' | 'failed' | 'cancelled';
  /** 0 to 1. */
  share: number;
  problem: string;
}

export type ConflictChoice = 'replace' | 'keep-both' | 'skip';

/** Files of a dropped folder have a path relative to it: `photos/2024/cat.png`. */
export interface FileToUpload {
  readonly file: File;
  readonly relativePath: string;
}

/** Uploads, one file at a time. */
export const useUploads = defineStore('uploads', () => new Uploads());

class Uploads {
  readonly uploads = ref<Upload[]>([]);
  readonly #cancelling = new Map<number, AbortController>();
  readonly #knownFolders = new Set<string>();
  #isRunning = false;
  #lastId = 0;
  #whenStored = async (): Promise<void> => {};

  readonly conflict = computed(() => this.uploads.value.find(({ state }) => state === 'conflict'));
  readonly unfinished = computed(() =>
    this.uploads.value.some(({ state }) => state === 'waiting' || state === 'sending'),
  );

  /** Whether all uploads are finished and reported. */
  readonly isDone = computed(
    () =>
      this.uploads.value.length > 0 &&
      this.uploads.value.every(({ state }) => state === 'done' || state === 'cancelled'),
  );

  /** @param stored called after each file */
  readonly add = (
    files: readonly FileToUpload[],
    folder: string,
    stored: () => Promise<void>,
  ): void => {
    this.#whenStored = stored;
    for (const { file, relativePath } of files) {
      this.#lastId += 1;
      const within = folderOf(relativePath);
      this.uploads.value.push(
        reactive<Upload>({
          id: this.#lastId,
          name: file.name,
          folder: within === '' ? folder : joined(folder, within),
          knownDepth: folder.split('/').filter(Boolean).length,
          file,
          state: 'waiting',
          share: 0,
          problem: '',
        }),
      );
    }
    void this.#run();
  };

  async #run(): Promise<void> {
    if (this.#isRunning) {
      return;
    }
    this.#isRunning = true;
    for (;;) {
      const next = this.uploads.value.find(({ state }) => state === 'waiting');
      if (next === undefined) {
        break;
      }
      await this.#send(next, next.name, false);
    }
    this.#isRunning = false;
  }

  async #send(item: Upload, name: string, overwrite: boolean): Promise<void> {
    const cancel = new AbortController();
    this.#cancelling.set(item.id, cancel);
    item.state = 'sending';
    try {
      await this.#ensureFolder(item);
      await upload(joined(item.folder, name), item.file, {
        overwrite,
        signal: cancel.signal,
        onProgress: (share) => {
          item.share = share;
        },
      });
      item.state = 'done';
      await this.#whenStored();
    } catch (error) {
      if (cancel.signal.aborted) {
        item.state = 'cancelled';
      } else if (error instanceof RequestFailed && error.status === 412) {
        item.state = 'conflict';
      } else {
        item.state = 'failed';
        item.problem = error instanceof Error ? error.message : '';
      }
    } finally {
      this.#cancelling.delete(item.id);
    }
  }

  /** Creates the folders of a dropped tree as needed. */
  async #ensureFolder({ folder, knownDepth }: Upload): Promise<void> {
    for (const part of foldersBelow(knownDepth, folder)) {
      if (!this.#knownFolders.has(part)) {
        await createFolder(part).catch((error: unknown) => {
          // 405: the folder exists.
          if (!(error instanceof RequestFailed && error.status === 405)) {
            throw error;
          }
        });
        this.#knownFolders.add(part);
      }
    }
  }

  /** @param all use the same answer for later conflicts of this batch */
  readonly decide = async (item: Upload, choice: ConflictChoice, all: boolean): Promise<void> => {
    const affected = all ? this.uploads.value.filter(({ state }) => state === 'conflict') : [item];
    for (const one of affected) {
      if (choice === 'skip') {
        one.state = 'cancelled';
      } else if (choice === 'replace') {
        await this.#send(one, one.name, true);
      } else {
        await this.#keepBoth(one);
      }
    }
  };

  async #keepBoth(item: Upload): Promise<void> {
    for (let number = 2; ; number += 1) {
      await this.#send(item, numbered(item.name, number), false);
      // TypeScript does not see that sending changes the state.
      if ((item.state as Upload['state']) !== 'conflict') {
        return;
      }
    }
  }

  readonly cancel = ({ id, state }: Upload): void => {
    this.#cancelling.get(id)?.abort();
    const item = this.uploads.value.find((other) => other.id === id);
    if (state === 'waiting' && item !== undefined) {
      item.state = 'cancelled';
    }
  };

  readonly clear = (): void => {
    this.#knownFolders.clear();
    this.uploads.value = this.uploads.value.filter(({ state }) =>
      ['waiting', 'sending', 'conflict'].includes(state),
    );
  };
}
