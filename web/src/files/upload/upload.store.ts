import { defineStore } from 'pinia';
import { computed, reactive, ref } from 'vue';
import { RequestFailed } from '../../host/http.js';
import { createFolder, joined, upload } from '../dav.js';

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
export const useUploads = defineStore('uploads', () => {
  const uploads = ref<Upload[]>([]);
  const running = ref(false);
  const cancelling = new Map<number, AbortController>();
  const knownFolders = new Set<string>();
  let lastId = 0;
  let whenStored = async (): Promise<void> => {};

  const conflict = computed(() => uploads.value.find(({ state }) => state === 'conflict'));
  const unfinished = computed(() =>
    uploads.value.some(({ state }) => state === 'waiting' || state === 'sending'),
  );

  /** Whether all uploads are finished and reported. */
  const isDone = computed(
    () =>
      uploads.value.length > 0 &&
      uploads.value.every(({ state }) => state === 'done' || state === 'cancelled'),
  );

  /** @param stored called after each file */
  function add(files: readonly FileToUpload[], folder: string, stored: () => Promise<void>): void {
    whenStored = stored;
    for (const { file, relativePath } of files) {
      lastId += 1;
      const within = relativePath.split('/').slice(0, -1).join('/');
      uploads.value.push(
        reactive<Upload>({
          id: lastId,
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
    void run();
  }

  async function run(): Promise<void> {
    if (running.value) {
      return;
    }
    running.value = true;
    for (;;) {
      const next = uploads.value.find(({ state }) => state === 'waiting');
      if (next === undefined) {
        break;
      }
      await send(next, next.name, false);
    }
    running.value = false;
  }

  async function send(item: Upload, name: string, overwrite: boolean): Promise<void> {
    const cancel = new AbortController();
    cancelling.set(item.id, cancel);
    item.state = 'sending';
    try {
      await ensureFolder(item);
      await upload(joined(item.folder, name), item.file, {
        overwrite,
        signal: cancel.signal,
        onProgress: (share) => {
          item.share = share;
        },
      });
      item.state = 'done';
      await whenStored();
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
      cancelling.delete(item.id);
    }
  }

  /** Creates the folders of a dropped tree as needed. */
  async function ensureFolder({ folder, knownDepth }: Upload): Promise<void> {
    const parts = folder.split('/').filter(Boolean);
    for (let depth = knownDepth + 1; depth <= parts.length; depth += 1) {
      const part = parts.slice(0, depth).join('/');
      if (!knownFolders.has(part)) {
        await createFolder(part).catch((error: unknown) => {
          // 405: the folder exists.
          if (!(error instanceof RequestFailed && error.status === 405)) {
            throw error;
          }
        });
        knownFolders.add(part);
      }
    }
  }

  /** @param all use the same answer for later conflicts of this batch */
  async function decide(item: Upload, choice: ConflictChoice, all: boolean): Promise<void> {
    const affected = all ? uploads.value.filter(({ state }) => state === 'conflict') : [item];
    for (const one of affected) {
      if (choice === 'skip') {
        one.state = 'cancelled';
      } else if (choice === 'replace') {
        await send(one, one.name, true);
      } else {
        await keepBoth(one);
      }
    }
  }

  async function keepBoth(item: Upload): Promise<void> {
    for (let number = 2; ; number += 1) {
      await send(item, numbered(item.name, number), false);
      // TypeScript does not see that sending changes the state.
      if ((item.state as Upload['state']) !== 'conflict') {
        return;
      }
    }
  }

  function cancel({ id, state }: Upload): void {
    cancelling.get(id)?.abort();
    if (state === 'waiting') {
      const item = uploads.value.find((other) => other.id === id);
      if (item !== undefined) {
        item.state = 'cancelled';
      }
    }
  }

  function clear(): void {
    knownFolders.clear();
    uploads.value = uploads.value.filter(({ state }) =>
      ['waiting', 'sending', 'conflict'].includes(state),
    );
  }

  return { uploads, conflict, unfinished, isDone, add, decide, cancel, clear };
});

/** `cat.png` becomes `cat (2).png`. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}
