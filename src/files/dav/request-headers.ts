import type { Request } from 'express';
import { plainAddress } from '../../common/http/plain-address.js';
import type { Preconditions, IfCondition, IfConditionList } from '../locks/preconditions.js';
import { InvalidDavRequest } from '../files.errors.js';
import type { MoveRequest } from '../tree/file-changes.service.js';
import type { FilePath } from '../tree/file-path.js';
import type { Algorithm } from '../content/blob-store.js';
import type { Checksum } from '../content/uploads.service.js';
import { readAddress } from './dav-address.js';
import { LOCK_TOKEN_SCHEME } from '../locks/lock-xml.js';

/** Whose request it is, and where the installation is reached: what addresses in headers need. */
export interface DavRequestContext {
  readonly userId: string;
  /** Public address of the installation. */
  readonly root: string;
}

const LONGEST_LOCK_SECONDS = 3600;

/** @throws InvalidDavRequest for a condition that cannot be read: it must not count as fulfilled */
export function readPreconditions(request: Request, context: DavRequestContext): Preconditions {
  const ifMatch = request.get('if-match');
  const ifNoneMatch = request.get('if-none-match');
  const unmodifiedSince = Date.parse(request.get('if-unmodified-since') ?? '');
  return {
    ...(ifMatch !== undefined && { ifMatch: readEtags(ifMatch) }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch: readEtags(ifNoneMatch) }),
    ...(!Number.isNaN(unmodifiedSince) && {
      ifUnmodifiedSinceSeconds: Math.floor(unmodifiedSince / 1000),
    }),
    lists: readIfConditionLists(request.get('if') ?? '', context),
  };
}

/**
 * How many levels below the folder are wanted; Infinity for all. Who says nothing wants the folder's
 * members. Some programs name levels that the protocol has not, and mean them.
 */
export function readDepth(request: Request): number {
  const depth = (request.get('depth') ?? '1').trim().toLowerCase();
  const [, levels] = /^(\d{1,4}|infinity)(?:,noroot)?$/.exec(depth) ?? [];
  if (levels === undefined) {
    throw new InvalidDavRequest(`Depth is 0, 1 or infinity, not "${depth}".`);
  }
  return levels === 'infinity' ? Infinity : Number(levels);
}

/** Everything below, unless told otherwise. */
export function isShallow(request: Request): boolean {
  return request.get('depth')?.trim() === '0';
}

/**
 * Where to. Only the path counts: a proxy may have changed the name of the host on the way.
 *
 * @throws InvalidDavRequest
 * @throws FileNotFound when it is none of the user's places
 */
export function readMoveRequest(
  request: Request,
  from: FilePath,
  context: DavRequestContext,
): MoveRequest {
  const destination = request.get('destination');
  if (destination === undefined) {
    throw new InvalidDavRequest('The header Destination is missing.');
  }
  const overwrite = (request.get('overwrite') ?? 'T').trim().toUpperCase();
  if (overwrite !== 'T' && overwrite !== 'F') {
    throw new InvalidDavRequest('Overwrite is T or F.');
  }
  return { from, to: readPlace(destination, context), overwrite: overwrite === 'T' };
}

/** When the content was last changed, by the sender's account. */
export function readMtimeSeconds(request: Request): number | undefined {
  const text = request.get('x-oc-mtime')?.trim() ?? '';
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Math.floor(Number(text)) : undefined;
  return seconds === undefined || seconds > 253_402_300_799 ? undefined : seconds;
}

const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['SHA1', 'SHA1'],
  ['MD5', 'MD5'],
  ['SHA256', 'SHA256'],
]);

/** Of several, as some send, one that we can compute. */
export function readChecksum(request: Request): Checksum | undefined {
  const known = (request.get('oc-checksum') ?? '').split(/\s+/).flatMap((part) => {
    const [name = '', digest = ''] = part.split(':');
    const algorithm = ALGORITHMS.get(name.toUpperCase());
    return algorithm === undefined ? [] : { algorithm, digest: digest.toLowerCase() };
  });
  return known[0];
}

/** Undefined when the sender does not know either. */
export function readSizeBytes(request: Request): number | undefined {
  const length = request.get('content-length') ?? request.get('x-expected-entity-length');
  return length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
}

/** What all pieces of an upload have together; undefined when the sender does not say. */
export function readTotalBytes(request: Request): number | undefined {
  const length = request.get('oc-total-length');
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

export function readLockSeconds(request: Request): number {
  const [, seconds] = /second-(\d+)/i.exec(request.get('timeout') ?? '') ?? [];
  const wanted = seconds === undefined ? LONGEST_LOCK_SECONDS : Number(seconds);
  return Math.min(Math.max(wanted, 1), LONGEST_LOCK_SECONDS);
}

/** The token that `UNLOCK` is about. */
export function readLockToken(request: Request): string {
  // Some leave out the brackets.
  const [, token] = /^\s*<?([^<>]+)>?\s*$/.exec(request.get('lock-token') ?? '') ?? [];
  if (token === undefined) {
    throw new InvalidDavRequest('The header Lock-Token is missing.');
  }
  return withoutScheme(token);
}

function readEtags(header: string): readonly string[] | '*' {
  return header.trim() === '*'
    ? '*'
    : [...header.matchAll(/"([^"]*)"/g)].map(([, etag]) => etag ?? '');
}

/** `<place> (Not <token> ["etag"]) (…) <place> (…)` */
function readIfConditionLists(header: string, context: DavRequestContext): IfConditionList[] {
  const lists: IfConditionList[] = [];
  let path: FilePath | null = null;
  // What opens does not open twice: a header of nothing else would keep the search busy.
  for (const [, place, list] of header.matchAll(/<([^<>]*)>|\(([^()]*)\)/g)) {
    if (place !== undefined) {
      path = readPlace(place, context);
    }
    if (list !== undefined) {
      lists.push({ path, conditions: readIfConditions(list) });
    }
  }
  if (lists.length === 0 && header.trim() !== '') {
    throw new InvalidDavRequest('The header If holds no condition in brackets.');
  }
  return lists;
}

function readIfConditions(list: string): IfCondition[] {
  const conditions = [
    ...list.matchAll(/(Not\s*)?(?:<([^<>]*)>|\[\s*(?:W\/)?"([^"]*)"\s*\])/gi),
  ].map(([, not, lockToken, etag]) => ({
    negated: not !== undefined,
    ...(lockToken !== undefined && { lockToken: withoutScheme(lockToken) }),
    ...(etag !== undefined && { etag }),
  }));
  if (conditions.length === 0) {
    throw new InvalidDavRequest(`The header If holds a condition that means nothing: (${list}).`);
  }
  return conditions;
}

function withoutScheme(token: string): string {
  return token.startsWith(LOCK_TOKEN_SCHEME) ? token.slice(LOCK_TOKEN_SCHEME.length) : token;
}

function readPlace(address: string, { userId, root }: DavRequestContext): FilePath {
  if (!URL.canParse(address, root)) {
    throw new InvalidDavRequest(`"${address}" is not an address.`);
  }
  const { pathname } = new URL(address, root);
  return readAddress(plainAddress(pathname, root), userId).path;
}
