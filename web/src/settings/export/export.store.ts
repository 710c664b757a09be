import { defineStore } from 'pinia';
import { onScopeDispose, ref } from 'vue';
import { request, requestOcs } from '../../host/http.js';
import { addressOf } from '../../host/page-context.js';

/** The archive of the user's account. Times are Unix seconds. */
export interface Archive {
  readonly state: 'waiting' | 'working' | 'ready' | 'failed';
  readonly files: boolean;
  readonly secrets: boolean;
  readonly asked: number;
  /** Null until it is ready. */
  readonly expires: number | null;
  readonly entries: number;
  readonly bytes: number;
  readonly problem: string | null;
}

interface ExportJson {
  readonly archive: Archive | null;
}

const PATH = '/apps/gatefold/api/v1/export';
const FILE = `/ocs/v2.php${PATH}/file`;
const LOOK_AGAIN_MS = 1500;

const isUnderWay = (archive: Archive | null) =>
  archive?.state === 'waiting' || archive?.state === 'working';

/** What the user takes along. Looks again while it is made. */
export const useExport = defineStore('export', () => {
  const archive = ref<Archive | null>(null);
  let timer = 0;

  function show({ archive: present }: ExportJson): void {
    archive.value = present;
    window.clearTimeout(timer);
    if (isUnderWay(present)) {
      timer = window.setTimeout(() => void load().catch(() => {}), LOOK_AGAIN_MS);
    }
  }

  async function load(): Promise<void> {
    show(await requestOcs<ExportJson>(PATH));
  }

  /** @param secrets may ask for a proof */
  async function start(files: boolean, secrets: boolean): Promise<void> {
    show(await requestOcs<ExportJson>(PATH, { method: 'POST', json: { files, secrets } }));
  }

  async function remove(): Promise<void> {
    await requestOcs(PATH, { method: 'DELETE' });
    archive.value = null;
  }

  /** Leads to the file; before, one with passwords may ask for a proof. */
  async function download(): Promise<void> {
    await request(FILE, { method: 'HEAD' });
    window.location.assign(addressOf(FILE));
  }

  onScopeDispose(() => window.clearTimeout(timer));
  return { archive, load, start, remove, download };
});
