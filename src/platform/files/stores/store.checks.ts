import { Injectable } from '@nestjs/common';
import {
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';
import { ContentFolder } from './content-folder.service.js';
import { ContentStores } from './content-stores.service.js';
import type { ObjectStore } from './object-store.js';
import { StoresRepository } from './stores.repository.js';

/** Examines the object stores, for `gatefold doctor`. The folder is examined with the disks. */
@Injectable()
export class StoreChecks {
  constructor(
    checks: InstallationChecks,
    private readonly stores: ContentStores,
    private readonly repository: StoresRepository,
    private readonly contentFolder: ContentFolder,
  ) {
    checks.add('Files', () => this.#examine());
  }

  async #examine(): Promise<CheckFinding[]> {
    const { objects, current, folder } = this.stores;
    const known = await Promise.all(objects.map((store) => this.#examineStore(store)));
    const ids = new Set(await this.stores.reachable());
    const held = await this.repository.storesWithContents();
    const unknown = held.filter(({ id }) => !ids.has(id));
    const isIntact = await this.contentFolder.isIntact();
    return [
      ...(isIntact ? [] : [folderMissing(folder.place)]),
      ...(isIntact && current === folder
        ? [{ state: 'ok' as const, text: `New contents are stored in ${folder.place}.` }]
        : []),
      ...known,
      ...(unknown.length === 0 || known.some(({ state }) => state === 'error')
        ? []
        : unknown.map(({ address }) => ({
            state: 'error' as const,
            text: `Contents are in ${address}, which is not in the settings.`,
            advice: 'Set GATEFOLD_FILES_FORMER_STORE to it.',
          }))),
    ];
  }

  async #examineStore(store: ObjectStore): Promise<CheckFinding> {
    try {
      await store.inspect();
      const isNew = store === this.stores.current;
      return {
        state: 'ok',
        text: `${store.place} answers${isNew ? '; new contents go there' : ''}.`,
      };
    } catch {
      return {
        state: 'error',
        text: `${store.place} cannot be used: ${store.away ?? 'unknown reason'}`,
        advice:
          'Files in it can be neither read nor written. Check the address, the keys and their rights.',
      };
    }
  }
}

function folderMissing(place: string): CheckFinding {
  return {
    state: 'error',
    text: `${place} is not the folder with the contents of files: its marker is missing or of another installation.`,
    advice: 'Mount the folder, or restore it from the backup.',
  };
}
