import { request, requestOcs } from '../../host/http.js';
import { addressOf, page } from '../../host/page-context.js';
import { askDav, DAV, NAMESPACES, NEXTCLOUD, OWNCLOUD, pathOf, textOf } from '../dav.js';

/** A deleted file or folder. */
export interface TrashEntry {
  readonly fileId: number;
  readonly name: string;
  /** The folder it was in; empty: the root. */
  readonly folder: string;
  readonly isFolder: boolean;
  readonly mime: string;
  readonly sizeBytes: number;
  readonly deleted: Date;
}

const root = `/remote.php/dav/trashbin/${encodeURIComponent(page.userId)}`;

const LIST_REQUEST = `<?xml version="1.0"?><d:propfind ${NAMESPACES}><d:prop>
<d:resourcetype/><d:getcontenttype/><oc:fileid/><oc:size/><nc:trashbin-filename/>
<nc:trashbin-original-location/><nc:trashbin-deletion-time/></d:prop></d:propfind>`;

/** Latest deletions first. */
export async function listTrash(): Promise<TrashEntry[]> {
  const [, ...entries] = await askDav('PROPFIND', `${root}/trash`, LIST_REQUEST, '1');
  return entries.map((entry) => {
    const place = textOf(entry, NEXTCLOUD, 'trashbin-original-location') ?? '';
    return {
      fileId: Number(textOf(entry, OWNCLOUD, 'fileid') ?? '0'),
      name: textOf(entry, NEXTCLOUD, 'trashbin-filename') ?? '',
      folder: place.split('/').slice(0, -1).join('/'),
      isFolder: entry.getElementsByTagNameNS(DAV, 'collection').length > 0,
      mime: textOf(entry, DAV, 'getcontenttype') ?? '',
      sizeBytes: Number(textOf(entry, OWNCLOUD, 'size') ?? '0'),
      deleted: new Date(Number(textOf(entry, NEXTCLOUD, 'trashbin-deletion-time') ?? '0') * 1000),
    };
  });
}

/** @returns the path of the restored file or folder */
export async function restore({ fileId }: Pick<TrashEntry, 'fileId'>): Promise<string> {
  const target = new URL(addressOf(`${root}/restore/${fileId}`), location.href).href;
  const response = await request(`${root}/trash/${fileId}`, {
    method: 'MOVE',
    headers: { Destination: target },
  });
  return pathOf(response.headers.get('Location') ?? '');
}

export async function removeForGood({ fileId }: TrashEntry): Promise<void> {
  await request(`${root}/trash/${fileId}`, { method: 'DELETE' });
}

export async function emptyTrash(): Promise<void> {
  await request(`${root}/trash`, { method: 'DELETE' });
}

interface CapabilitiesJson {
  readonly capabilities: { readonly files?: { readonly undelete?: boolean } };
}

let known: Promise<boolean> | undefined;

/** Whether deleted files go to the trash; asked once. */
export function hasTrash(): Promise<boolean> {
  known ??= requestOcs<CapabilitiesJson>('/cloud/capabilities').then(
    ({ capabilities }) => capabilities.files?.undelete === true,
    () => {
      known = undefined;
      return false;
    },
  );
  return known;
}
