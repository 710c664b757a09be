import { request, RequestFailed, sentInSession } from '../host/http.js';
import { addressOf, page } from '../host/page-context.js';

/** A file or folder. */
export interface Entry {
  /** Path from the root, without leading and trailing slashes: `Pictures/cat.png`. */
  readonly path: string;
  readonly name: string;
  readonly fileId: number;
  readonly isFolder: boolean;
  readonly sizeBytes: number;
  readonly mime: string;
  readonly changed: Date;
  readonly etag: string;
  readonly favorite: boolean;
  /** Whether a picture of it exists; see `previewAddress`. */
  readonly hasPreview: boolean;
}

export interface Folder {
  readonly entries: readonly Entry[];
  readonly usedBytes: number;
  /** Null: unlimited. */
  readonly availableBytes: number | null;
}

export const DAV = 'DAV:';
export const OWNCLOUD = 'http://owncloud.org/ns';
export const NEXTCLOUD = 'http://nextcloud.org/ns';

/** Declares the prefixes that requests use. */
export const NAMESPACES = `xmlns:d="${DAV}" xmlns:oc="${OWNCLOUD}" xmlns:nc="${NEXTCLOUD}"`;

const PROPERTIES = `<d:prop>
<d:resourcetype/><d:getcontenttype/><d:getlastmodified/><d:getetag/>
<d:quota-used-bytes/><d:quota-available-bytes/>
<oc:fileid/><oc:size/><oc:favorite/><nc:has-preview/>
</d:prop>`;

const MOST_FOUND = 500;

const root = `/remote.php/dav/files/${encodeURIComponent(page.userId)}`;

/** WebDAV path of a file below the root of the installation. */
export function davPath(path: string): string {
  return [root, ...path.split('/').filter(Boolean).map(encodeURIComponent)].join('/');
}

/** Like `davPath`, with the installation's prefix; for `src` and `href`. */
export function contentAddress({ path }: Pick<Entry, 'path'>): string {
  return addressOf(davPath(path));
}

/** Address of the picture of an entry; for `src`. */
export function previewAddress({ fileId, etag }: Entry, pixels: number): string {
  const version = encodeURIComponent(etag.replaceAll('"', ''));
  return addressOf(`/core/preview?fileId=${fileId}&x=${pixels}&y=${pixels}&a=0&c=${version}`);
}

/** @param path of a folder; empty: the root */
export async function listFolder(path: string, signal?: AbortSignal): Promise<Folder> {
  const body = `<?xml version="1.0"?><d:propfind ${NAMESPACES}>${PROPERTIES}</d:propfind>`;
  const [itself, ...children] = await askDav('PROPFIND', davPath(path), body, '1', signal);
  const quota = (name: string) => Number((itself && textOf(itself, DAV, name)) ?? '0');
  const available = quota('quota-available-bytes');
  return {
    entries: children.map(toEntry),
    usedBytes: quota('quota-used-bytes'),
    availableBytes: available < 0 ? null : available,
  };
}

/** Entries below a folder whose name contains the words, by name; the first 500. */
export async function findEntries(
  words: string,
  folder: string,
  signal?: AbortSignal,
): Promise<Entry[]> {
  const literal = escaped(`%${words}%`);
  const body = `<?xml version="1.0"?><d:searchrequest ${NAMESPACES}><d:basicsearch>
<d:select>${PROPERTIES}</d:select>
<d:from><d:scope><d:href>${escaped(davPath(folder))}</d:href><d:depth>infinity</d:depth></d:scope></d:from>
<d:where><d:like><d:prop><d:displayname/></d:prop><d:literal>${literal}</d:literal></d:like></d:where>
<d:orderby><d:order><d:prop><d:displayname/></d:prop><d:ascending/></d:order></d:orderby>
<d:limit><d:nresults>${MOST_FOUND}</d:nresults></d:limit></d:basicsearch></d:searchrequest>`;
  const found = await askDav('SEARCH', '/remote.php/dav', body, 'infinity', signal);
  const plain = words.toLowerCase();
  // Filter again, since % and _ are wildcards for the service.
  return found.map(toEntry).filter(({ name }) => name.toLowerCase().includes(plain));
}

/** Favorites everywhere. */
export async function findFavorites(signal?: AbortSignal): Promise<Entry[]> {
  const body = `<?xml version="1.0"?><oc:filter-files ${NAMESPACES}>${PROPERTIES}
<oc:filter-rules><oc:favorite>1</oc:favorite></oc:filter-rules></oc:filter-files>`;
  return (await askDav('REPORT', davPath(''), body, '1', signal)).map(toEntry);
}

/** @returns the `d:response` elements of the answer */
export async function askDav(
  method: string,
  path: string,
  body: string,
  depth: string,
  signal?: AbortSignal,
): Promise<Element[]> {
  const response = await request(path, {
    method,
    headers: { Depth: depth, 'Content-Type': 'application/xml', Accept: 'application/xml' },
    body,
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = new DOMParser().parseFromString(await response.text(), 'application/xml');
  return [...answer.getElementsByTagNameNS(DAV, 'response')];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function toEntry(response: Element): Entry {
  const path = pathOf(textOf(response, DAV, 'href') ?? '');
  return {
    path,
    name: path.split('/').at(-1) ?? '',
    fileId: Number(textOf(response, OWNCLOUD, 'fileid') ?? '0'),
    isFolder: response.getElementsByTagNameNS(DAV, 'collection').length > 0,
    sizeBytes: Number(textOf(response, OWNCLOUD, 'size') ?? '0'),
    mime: textOf(response, DAV, 'getcontenttype') ?? '',
    changed: new Date(textOf(response, DAV, 'getlastmodified') ?? 0),
    etag: textOf(response, DAV, 'getetag') ?? '',
    favorite: textOf(response, OWNCLOUD, 'favorite') === '1',
    hasPreview: textOf(response, NEXTCLOUD, 'has-preview') === 'true',
  };
}

/** The path of a file from its address. */
export function pathOf(href: string): string {
  const names = href.slice(addressOf(root).length).split('/').filter(Boolean);
  return names.map(decodeURIComponent).join('/');
}

export function textOf(element: Element, namespace: string, name: string): string | undefined {
  return element.getElementsByTagNameNS(namespace, name)[0]?.textContent ?? undefined;
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
export async function upload(path: string, file: File, options: UploadOptions): Promise<void> {
  const { status, responseXML } = await sentInSession(() => put(path, file, options));
  if (status < 200 || status >= 300) {
    throw new RequestFailed(davMessage(responseXML), status);
  }
}

function put(path: string, file: File, options: UploadOptions): Promise<XMLHttpRequest> {
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
    sending.addEventListener('load', () => resolve(sending));
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
