import { requestOcs } from '../host/http.js';
import { addressOf } from '../host/page-context.js';
import type { Entry } from './dav.js';

/** A file action of an external app; see docs/app-api-reference.md "File actions". */
export interface FileAction {
  readonly appId: string;
  readonly name: string;
  readonly displayName: string;
  /** Path relative to the app's root; empty: none. */
  readonly icon: string;
  /** Whether a click on a file runs it. */
  readonly isDefault?: true;
}

const ROOT = '/apps/app_api/api/v1/files-actions';

/** Actions that apply to all of the entries. */
export function actionsFor(entries: readonly Entry[]): Promise<FileAction[]> {
  return requestOcs<FileAction[]>(ROOT, { query: { fileIds: idsOf(entries) } });
}

/** @returns the page that the app redirects to, if any */
export async function runAction(
  { appId, name }: FileAction,
  entries: readonly Entry[],
): Promise<string | undefined> {
  const { redirect } = await requestOcs<{ redirect?: string }>(
    `${ROOT}/${encodeURIComponent(appId)}/${encodeURIComponent(name)}`,
    { method: 'POST', json: { fileIds: entries.map(({ fileId }) => fileId) } },
  );
  return redirect;
}

/** @returns undefined if the action has no icon */
export function iconAddress({ appId, icon }: FileAction): string | undefined {
  return icon === ''
    ? undefined
    : addressOf(`/index.php/apps/app_api/proxy/${encodeURIComponent(appId)}/${icon}`);
}

function idsOf(entries: readonly Entry[]): string {
  return entries.map(({ fileId }) => fileId).join(',');
}
