import { DAV, escapeXml, NEXTCLOUD, OWNCLOUD } from '../dav-format/dav-xml.js';
import type { FileLock } from '../locks/locks.repository.js';
import { locksOn } from '../locks/locks.service.js';
import { FOLDER_MIME, hasPreview } from '../tree/file-kinds.js';
import type { FilePath } from '../tree/file-path.js';
import type { CountedNode, NodeChange } from '../tree/nodes.sql.js';

export const LOCK_TOKEN_SCHEME = 'opaquelocktoken:';

/** Facts besides the node that properties are computed from. */
export interface PropertyContext {
  readonly ownerName: string;
  readonly instanceId: string;
  /** Infinity without a quota. */
  readonly roomLeftBytes: number;
  /** Whether the service makes previews. */
  readonly hasPreviews: boolean;
  readonly locks: readonly FileLock[];
  readonly addressOf: (path: FilePath, isFolder: boolean) => string;
}

export interface ShownNode {
  readonly node: CountedNode;
  readonly path: FilePath;
  /** From the top folder down to the parent. */
  readonly ancestorIds: readonly number[];
}

interface LiveProperty {
  /** The value as XML; undefined when nodes of this kind have no such property. */
  readonly show: (shown: ShownNode, context: PropertyContext) => string | undefined;
  /** Parses a new value; null when it is invalid. Absent for read-only properties. */
  readonly read?: (text: string) => NodeChange | null;
  /** Whether `allprop` includes it: properties of RFC 4918 and 4331. */
  readonly inAll?: boolean;
}

const NO_QUOTA = -3;

const SUPPORTED_LOCK =
  '<d:lockentry><d:lockscope><d:exclusive/></d:lockscope>' +
  '<d:locktype><d:write/></d:locktype></d:lockentry>';

/** Properties that are stored or computed by the service, by qualified name. */
export const LIVE_PROPERTIES: ReadonlyMap<string, LiveProperty> = new Map<string, LiveProperty>([
  ...inNamespace(DAV, {
    getlastmodified: {
      show: ({ node }) => httpDate(node.mtimeSeconds),
      read: readMtime,
      inAll: true,
    },
    lastmodified: { show: ({ node }) => String(node.mtimeSeconds), read: readMtime },
    creationdate: {
      show: ({ node }) => isoDate(node.createdSeconds || node.uploadedSeconds || node.mtimeSeconds),
      read: readCreated,
      inAll: true,
    },
    getetag: { show: ({ node }) => `&quot;${node.etag}&quot;`, inAll: true },
    getcontenttype: {
      show: ({ node }) => (node.mime === FOLDER_MIME ? undefined : escapeXml(node.mime)),
      inAll: true,
    },
    getcontentlength: {
      show: ({ node }) => (node.isFolder ? undefined : String(node.sizeBytes)),
      inAll: true,
    },
    resourcetype: { show: ({ node }) => (node.isFolder ? '<d:collection/>' : ''), inAll: true },
    displayname: {
      show: ({ node }) => escapeXml(node.parentId === null ? node.userId : node.name),
      inAll: true,
    },
    'quota-used-bytes': {
      show: ({ node }) => (node.isFolder ? String(node.sizeBytes) : undefined),
      inAll: true,
    },
    'quota-available-bytes': {
      show: ({ node }, { roomLeftBytes }) =>
        node.isFolder ? String(roomLeftBytes === Infinity ? NO_QUOTA : roomLeftBytes) : undefined,
      inAll: true,
    },
    supportedlock: { show: () => SUPPORTED_LOCK, inAll: true },
    lockdiscovery: {
      show: ({ node, path, ancestorIds }, { locks, addressOf }) =>
        locksOn(locks, node.id, ancestorIds)
          .map((lock) => {
            const depth = ancestorIds.indexOf(lock.nodeId);
            return depth < 0
              ? activeLock(lock, addressOf(path, node.isFolder))
              : activeLock(lock, addressOf(path.slice(0, depth), true));
          })
          .join(''),
      inAll: true,
    },
  }),
  ...inNamespace(OWNCLOUD, {
    id: { show: ({ node }, { instanceId }) => publicId(node.id, instanceId) },
    fileid: { show: ({ node }) => String(node.id) },
    permissions: { show: ({ node }) => permissionLetters(node) },
    size: { show: ({ node }) => String(node.sizeBytes) },
    favorite: { show: ({ node }) => (node.favorite ? '1' : '0'), read: readFavorite },
    'owner-id': { show: ({ node }) => escapeXml(node.userId) },
    'owner-display-name': { show: (_shown, { ownerName }) => escapeXml(ownerName) },
    'share-types': { show: () => '' },
    tags: { show: () => '' },
    checksums: {
      show: ({ node }) =>
        node.checksum === '' ? undefined : `<oc:checksum>${escapeXml(node.checksum)}</oc:checksum>`,
    },
    'comments-unread': { show: () => '0' },
  }),
  ...inNamespace(NEXTCLOUD, {
    'has-preview': {
      show: ({ node }, { hasPreviews }) => String(hasPreviews && hasPreview(node)),
    },
    'mount-type': { show: () => '' },
    'is-encrypted': { show: () => '0' },
    creation_time: { show: ({ node }) => String(node.createdSeconds), read: readCreationTime },
    upload_time: { show: ({ node }) => String(node.uploadedSeconds) },
    'contained-folder-count': { show: ({ node }) => counted(node, node.folders) },
    'contained-file-count': { show: ({ node }) => counted(node, node.files) },
  }),
]);

/** Properties that need the members of a folder counted. */
export const COUNTING_PROPERTIES: ReadonlySet<string> = new Set([
  `{${NEXTCLOUD}}contained-folder-count`,
  `{${NEXTCLOUD}}contained-file-count`,
]);

/** The `oc:id` of a file, unique across installations. */
export function publicId(id: number, instanceId: string): string {
  return `${String(id).padStart(8, '0')}${instanceId}`;
}

export function httpDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}

function inNamespace(
  namespace: string,
  properties: Readonly<Record<string, LiveProperty>>,
): [string, LiveProperty][] {
  return Object.entries(properties).map(([name, property]) => [`{${namespace}}${name}`, property]);
}

/** R share, G read, D delete, N rename, V move, W write, C create files, K create folders. */
function permissionLetters({ isFolder, parentId }: CountedNode): string {
  if (parentId === null) {
    return 'GCK';
  }
  return isFolder ? 'RGDNVCK' : 'RGDNVW';
}

function counted(node: CountedNode, count: number | undefined): string | undefined {
  return node.isFolder ? String(count ?? 0) : undefined;
}

function isoDate(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799;

/** A time without a zone is read as UTC. */
const ZONELESS = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?$/;

/** Parses a number of Unix seconds, an HTTP date or an ISO date. @returns null for anything else */
export function readSeconds(text: string): number | null {
  const date = text.replace(ZONELESS, '$1T$2Z');
  const isDate = /^[A-Za-z]{3}, \d|^\d{4}-\d\d-\d\d[T ]/.test(date);
  const seconds = isDate ? Date.parse(date) / 1000 : Number(date || NaN);
  return seconds >= 0 && seconds <= LAST_SECOND ? Math.floor(seconds) : null;
}

function readMtime(text: string): NodeChange | null {
  const mtimeSeconds = readSeconds(text);
  return mtimeSeconds === null ? null : { mtimeSeconds };
}

function readCreated(text: string): NodeChange | null {
  const createdSeconds = readSeconds(text);
  return createdSeconds === null ? null : { createdSeconds };
}

function readCreationTime(text: string): NodeChange | null {
  return /^\d+$/.test(text) ? readCreated(text) : null;
}

function readFavorite(text: string): NodeChange | null {
  return /^(?:1|0|true|false|)$/i.test(text) ? { favorite: /^(?:1|true)$/i.test(text) } : null;
}

/** A `d:activelock`. @param root href of the locked node */
export function activeLock(lock: FileLock, root: string): string {
  return (
    '<d:activelock><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype>' +
    `<d:depth>${lock.isDeep ? 'infinity' : '0'}</d:depth>` +
    `<d:owner>${lock.owner}</d:owner>` +
    `<d:timeout>Second-${lock.secondsLeft}</d:timeout>` +
    `<d:locktoken><d:href>${LOCK_TOKEN_SCHEME}${lock.token}</d:href></d:locktoken>` +
    `<d:lockroot><d:href>${escapeXml(root)}</d:href></d:lockroot></d:activelock>`
  );
}
