import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { CredentialsRequired } from '../../common/auth/auth.errors.js';
import type { IdentifiedRequest } from '../../common/auth/current-user.decorator.js';
import { FileNotFound, InvalidDavRequest } from '../files.errors.js';
import { toFilePath, type FilePath } from '../tree/file-path.js';

/** Where the files of a user are mounted, and a place below. */
export interface DavAddress {
  /** Path of the mount below the root of the installation, encoded: `/remote.php/dav/files/ada`. */
  readonly mount: string;
  readonly path: FilePath;
}

const OF_ONESELF = /^\/remote\.php\/webdav(?=\/|$)/i;
const OF_SOMEBODY = /^\/remote\.php\/dav\/files\/([^/]+)(?=\/|$)/i;

/** Injects what the address of a request means to whoever makes it. */
export const Address = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const { account, path } = context.switchToHttp().getRequest<IdentifiedRequest>();
  if (account === undefined) {
    throw new CredentialsRequired();
  }
  return readAddress(path, account.userId);
});

/**
 * @param path as it stands in the request, in its plain form
 * @throws FileNotFound for files of somebody else, be there such a user or not
 * @throws InvalidDavRequest, NameRefused
 */
export function readAddress(path: string, userId: string): DavAddress {
  const [somebody, encodedUser] = OF_SOMEBODY.exec(path) ?? [];
  const mount = somebody ?? OF_ONESELF.exec(path)?.[0];
  if (mount === undefined || (encodedUser !== undefined && decode(encodedUser) !== userId)) {
    throw new FileNotFound(path);
  }
  const names = path.slice(mount.length).replace(/^\/|\/$/g, '');
  return { mount, path: toFilePath(names === '' ? [] : names.split('/').map(decode)) };
}

/** What clients are shown and come back with; folders end in a slash. */
export function hrefOf(prefix: string, { mount, path }: DavAddress, isFolder: boolean): string {
  const names = path.map((name) => `/${encodeURIComponent(name)}`).join('');
  return `${prefix}${mount}${names}${isFolder ? '/' : ''}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidDavRequest(`"${text}" is not encoded as addresses are.`);
  }
}
