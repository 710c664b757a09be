import { request, RequestFailed } from '../host/http.js';
import { addressOf, page } from '../host/page-context.js';

/** A file or folder. */
export interface Entry {
  /** From the root, without leading and trailing slashes: `Pictures/cat.png`. */
  readonly path: string;
  readonly name: string;
  readonly fileId: number;
  readonly isFolder: boolean;
  readonly sizeBytes: number;
  readonly mime: string;
  readonly changed: Date;
  readonly etag: string;
  readonly favorite: boolean;
}

export interface Folder {
  readonly entries: readonly Entry[];
  readonly usedBytes: number;
  /** Null: unlimited. */
  readonly availableBytes: number | null;
}

const DAV = 'DAV:';
const OWNCLOUD = 'http://owncloud.org/ns';

const LIST_REQUEST = `<?xml version="1.0"?>
<d:propfind xmlns:d="DAV:" xmlns:oc="${OWNCLOUD}"><d:prop>
<d:resourcetype/><d:getcontenttype/><d:getlastmodified/><d:getetag/>
<d:quota-used-bytes/><d:quota-available-bytes/>
<oc:fileid/><oc:size/><oc:favorite/>
</d:prop></d:propfind>`;

const root = `/remote.php/dav/files/${encodeURIComponent(page.userId)}`;

/** WebDAV path of a file below the root of the installation. */
export function davPath(path: string): string {
  return [root, ...path.split('/').filter(Boolean).map(encodeURIComponent)].join('/');
}

/** Like `davPath`, with the installation's prefix; for `src` and `href`. */
export function contentAddress({ path }: Pick<Entry, 'path'>): string {
  return addressOf(davPath(path));
}

/** @param path of a folder; empty: the root */
export async function listFolder(path: string, signal?: AbortSignal): Promise<Folder> {
  const response = await request(davPath(path), {
    method: 'PROPFIND',
    headers: { Depth: '1', 'Content-Type': 'application/xml', Accept: 'application/xml' },
    body: LIST_REQUEST,
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = new DOMParser().parseFromString(await response.text(), 'application/xml');
  const [itself, ...children] = [...answer.getElementsByTagNameNS(DAV, 'response')];
  const quota = (name: string) => Number((itself && textOf(itself, DAV, name)) ?? '0');
  const available = quota('quota-available-bytes');
  return {
    entries: children.map((child) => toEntry(child, path)),
    usedBytes: quota('quota-used-bytes'),
    availableBytes: available < 0 ? null : available,
  };
}

function toEntry(response: Element, folder: string): Entry {
  const href = textOf(response, DAV, 'href') ?? '';
  const name = decodeURIComponent(href.replace(/\/$/, '').split('/').at(-1) ?? '');
  return {
    path: joined(folder, name),
    name,
    fileId: Number(textOf(response, OWNCLOUD, 'fileid') ?? '0'),
    isFolder: response.getElementsByTagNameNS(DAV, 'collection').length > 0,
    sizeBytes: Number(textOf(response, OWNCLOUD, 'size') ?? '0'),
    mime: textOf(response, DAV, 'getcontenttype') ?? '',
    changed: new Date(textOf(response, DAV, 'getlastmodified') ?? 0),
    etag: textOf(response, DAV, 'getetag') ?? '',
    favorite: textOf(response, OWNCLOUD, 'favorite') === '1',
  };
}

function textOf(element: Element, namespace: string, name: string): string | undefined {
  return element.getElementsByTagNameNS(namespace, name)[0]?.textContent ?? undefined;
}

export function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** @throws RequestFailed with status 405 if the name is taken */
export async function createFolder(path: string): Promise<void> {
  await request(davPath(path), { method: 'MKCOL' });
}

export async function remove({ path }: Pick<Entry, 'path'>): Promise<void> {
  await request(davPath(path), { method: 'DELETE' });
}

/** @throws RequestFailed with status 412 if the target exists */
export async function relocate(
  verb: 'MOVE' | 'COPY',
  from: string,
  to: string,
  overwrite = false,
): Promise<void> {
  await request(davPath(from), {
    method: verb,
    headers: {
      Destination: new URL(addressOf(davPath(to)), location.href).href,
      Overwrite: overwrite ? 'T' : 'F',
    },
  });
}

export async function setFavorite({ path }: Entry, favorite: boolean): Promise<void> {
  await request(davPath(path), {
    method: 'PROPPATCH',
    headers: { 'Content-Type': 'application/xml' },
    body: `<?xml version="1.0"?><d:propertyupdate xmlns:d="DAV:" xmlns:oc="${OWNCLOUD}"><d:set><d:prop><oc:favorite>${favorite ? 1 : 0}</oc:favorite></d:prop></d:set></d:propertyupdate>`,
  });
}

/** The beginning of a text file. */
export async function readText({ path }: Entry, mostBytes: number): Promise<string> {
  const response = await request(davPath(path), {
    headers: { Range: `bytes=0-${mostBytes - 1}`, Accept: '*/*' },
  });
  return new TextDecoder().decode(await response.arrayBuffer());
}

export interface UploadOptions {
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
  /** @param share part of the file sent so far, 0 to 1 */
  onProgress(share: number): void;
}

/**
 * Uses XMLHttpRequest, since `fetch` does not report upload progress.
 *
 * @throws RequestFailed with status 412 if the target exists and must not be replaced
 * @throws DOMException `AbortError`
 */
export function upload(path: string, file: File, options: UploadOptions): Promise<void> {
  const { overwrite, signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open('PUT', addressOf(davPath(path)));
    sending.setRequestHeader('requesttoken', page.requestToken);
    sending.setRequestHeader('X-Requested-With', 'XMLHttpRequest');
    sending.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
    sending.setRequestHeader('X-OC-MTime', String(Math.floor(file.lastModified / 1000)));
    if (!overwrite) {
      sending.setRequestHeader('If-None-Match', '*');
    }
    sending.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total === 0 ? 1 : loaded / total),
    );
    sending.addEventListener('load', () => {
      if (sending.status >= 200 && sending.status < 300) {
        resolve();
        return;
      }
      reject(new RequestFailed(davMessage(sending.responseXML), sending.status));
    });
    sending.addEventListener('error', () => reject(new RequestFailed('', 0)));
    sending.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
    signal.addEventListener('abort', () => sending.abort(), { once: true });
    sending.send(file);
  });
}

const SABRE = 'http://sabredav.org/ns';

function davMessage(answer: Document | null): string {
  return answer?.getElementsByTagNameNS(SABRE, 'message')[0]?.textContent ?? '';
}
