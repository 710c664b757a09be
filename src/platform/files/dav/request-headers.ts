import type { Request } from 'express';
import { numberOfDigits } from '../../../common/http/loose-inputs.js';
import { plainAddress } from '../../../common/http/plain-address.js';
import type { MoveRequest } from '../changes/file-changes.service.js';
import type { Checksum, Upload } from '../changes/uploads.service.js';
import type { Algorithm } from '../content/blob-store.service.js';
import { readAddress } from '../dav-format/dav-address.js';
import { InvalidDavRequest } from '../files.errors.js';
import type { Preconditions, IfCondition, IfConditionList } from '../locks/lock-check.service.js';
import { LOCK_TOKEN_SCHEME } from '../properties/properties.js';
import type { FilePath } from '../tree/file-path.js';

/** Closes the connection of a sender that sends nothing for this long. */
const STALLED_AFTER_MS = 300_000;

/** The context for reading addresses in headers and bodies. */
export interface DavRequestContext {
  readonly userId: string;
  /** Public address of the installation. */
  readonly root: string;
}

const MAX_LOCK_SECONDS = 3600;

/** The last second of the year 9999. */
const MAX_UNIX_SECONDS = 253_402_300_799;

/** @throws InvalidDavRequest for a condition that cannot be parsed: it must not count as fulfilled */
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
 * Levels below the folder; Infinity for all, default 1. Numbers above 1 are not in RFC 4918, but some
 * clients send them.
 *
 * @throws InvalidDavRequest
 */
export function readDepth(request: Request): number {
  const depth = (request.get('depth') ?? '1').trim().toLowerCase();
  const [, levels] = /^(\d+|infinity)(?:,noroot)?$/.exec(depth) ?? [];
  if (levels === undefined) {
    throw new InvalidDavRequest(`Depth must be 0, 1 or infinity, but is "${depth}".`);
  }
  return levels === 'infinity' ? Infinity : Number(levels);
}

/** Whether `Depth` is 0; the default is infinity. */
export function isShallow(request: Request): boolean {
  return request.get('depth')?.trim() === '0';
}

/**
 * Reads `Destination` and `Overwrite`. The host of `Destination` is ignored, since proxies rewrite it.
 *
 * @throws InvalidDavRequest
 * @throws FileNotFound when the destination is not below the user's mount
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
    throw new InvalidDavRequest('Overwrite must be T or F.');
  }
  return { from, to: readPath(destination, context), overwrite: overwrite === 'T' };
}

/** Modification time and checksum, as the client states them. */
export function readUploadHeaders(request: Request): Pick<Upload, 'mtimeSeconds' | 'checksum'> {
  return { mtimeSeconds: readMtimeSeconds(request), checksum: readChecksum(request) };
}

function readMtimeSeconds(request: Request): number | undefined {
  const text = request.get('x-oc-mtime')?.trim() ?? '';
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Math.floor(Number(text)) : undefined;
  return seconds && Math.min(seconds, MAX_UNIX_SECONDS);
}

const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['SHA1', 'SHA1'],
  ['MD5', 'MD5'],
  ['SHA256', 'SHA256'],
]);

/** The first supported one; some clients send several. */
function readChecksum(request: Request): Checksum | undefined {
  const known = (request.get('oc-checksum') ?? '').split(/\s+/).flatMap((part) => {
    const [name = '', digest = ''] = part.split(':');
    const algorithm = ALGORITHMS.get(name.toUpperCase());
    return algorithm === undefined ? [] : { algorithm, digest: digest.toLowerCase() };
  });
  return known[0];
}

/** Undefined when unknown. */
export function readSizeBytes(request: Request): number | undefined {
  const length = request.get('content-length') ?? request.get('x-expected-entity-length');
  return numberOfDigits(length) ?? undefined;
}

/** Expected size of all pieces of an upload; undefined when unknown. */
export function readTotalBytes(request: Request): number | undefined {
  return numberOfDigits(request.get('oc-total-length')) ?? undefined;
}

export function readLockSeconds(request: Request): number {
  const [, seconds] = /second-(\d+)/i.exec(request.get('timeout') ?? '') ?? [];
  const wanted = seconds === undefined ? MAX_LOCK_SECONDS : Number(seconds);
  return Math.min(Math.max(wanted, 1), MAX_LOCK_SECONDS);
}

/** @throws InvalidDavRequest */
export function readLockToken(request: Request): string {
  // Some clients omit the brackets.
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

/** Parses `<resource> (Not <token> ["etag"]) (…) <resource> (…)`. */
function readIfConditionLists(header: string, context: DavRequestContext): IfConditionList[] {
  const lists: IfConditionList[] = [];
  let path: FilePath | null = null;
  // `[^<>]` excludes the opening bracket, or a header of `<<<<…` would take quadratic time.
  for (const [, resource, list] of header.matchAll(/<([^<>]*)>|\(([^()]*)\)/g)) {
    if (resource !== undefined) {
      path = readPath(resource, context);
    }
    if (list !== undefined) {
      lists.push({ path, conditions: readIfConditions(list) });
    }
  }
  if (lists.length === 0 && header.trim() !== '') {
    throw new InvalidDavRequest('The header If has no condition in parentheses.');
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
    throw new InvalidDavRequest(`The header If has an invalid condition: (${list}).`);
  }
  return conditions;
}

function withoutScheme(token: string): string {
  return token.startsWith(LOCK_TOKEN_SCHEME) ? token.slice(LOCK_TOKEN_SCHEME.length) : token;
}

function readPath(address: string, { userId, root }: DavRequestContext): FilePath {
  if (!URL.canParse(address, root)) {
    throw new InvalidDavRequest(`"${address}" is not a URL.`);
  }
  const { pathname } = new URL(address, root);
  return readAddress(plainAddress(pathname, root), userId).path;
}

export function abortWhenStalled(request: Request): void {
  request.setTimeout(STALLED_AFTER_MS, () => request.destroy());
}
