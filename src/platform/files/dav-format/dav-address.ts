import { FileNotFound, InvalidDavRequest } from '../files.errors.js';
import { toFilePath, type FilePath } from '../tree/file-path.js';

/** The mount of a user's files, and a path below it. */
export interface DavAddress {
  /** Encoded, below the root of the installation: `/remote.php/dav/files/ada`. */
  readonly mount: string;
  readonly path: FilePath;
}

const OWN_MOUNT = /^\/remote\.php\/webdav(?=\/|$)/i;
const NAMED_MOUNT = /^\/remote\.php\/dav\/files\/([^/]+)(?=\/|$)/i;

/**
 * @param path of the request, below the root of the installation
 * @throws FileNotFound for files of another user, whether or not that user exists
 */
export function readAddress(path: string, userId: string): DavAddress {
  const [named, encodedUser] = NAMED_MOUNT.exec(path) ?? [];
  const mount = named ?? OWN_MOUNT.exec(path)?.[0];
  if (mount === undefined || (encodedUser !== undefined && decode(encodedUser) !== userId)) {
    throw new FileNotFound(path);
  }
  const names = path.slice(mount.length).replace(/^\/|\/$/g, '');
  return { mount, path: toFilePath(names === '' ? [] : names.split('/').map(decode)) };
}

/** The `d:href` of a node; hrefs of folders end in a slash. */
export function hrefOf(prefix: string, { mount, path }: DavAddress, isFolder: boolean): string {
  const names = path.map((name) => `/${encodeURIComponent(name)}`).join('');
  return `${prefix}${mount}${names}${isFolder ? '/' : ''}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidDavRequest(`"${text}" is not valid percent-encoding.`);
  }
}
