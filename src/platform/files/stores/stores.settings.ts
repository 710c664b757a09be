import { readBy, text, wholeNumber, settings } from '../../../common/config/settings.js';

/** A bucket of an object store that speaks the S3 protocol. */
export interface BucketSettings {
  readonly bucket: string;
  /** Prefix of content ids; empty, or with a slash at its end. */
  readonly prefix: string;
  /** Undefined: Amazon's endpoint of the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** `https://host/bucket` instead of `https://bucket.host`. */
  readonly pathStyle: boolean;
  /** Address for people: `s3://bucket/prefix`. */
  readonly address: string;
}

export type FilesStore = 'folder' | BucketSettings;

const filesStore = readBy(readFilesStore);

/** Where contents of files are. */
export class StoreSettings extends settings('GATEFOLD_', {
  GATEFOLD_FILES_STORE: filesStore
    .default('folder')
    .describe(
      'Where contents of files are stored: folder, that is in the data folder; or an object store, e.g. s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1&path-style=true; see operations/storage.md',
    )
    .meta({ mayNameKeys: true, turnsOn: 'object-store' }),
  GATEFOLD_FILES_FORMER_STORE: filesStore
    .refine(
      (store): store is BucketSettings => store !== 'folder',
      'must be an object store; the folder is always read',
    )
    .describe('An object store from which contents are still read, until files:move has ended')
    .meta({ mayNameKeys: true, turnsOn: 'object-store' }),
  GATEFOLD_S3_ACCESS_KEY_ID: text
    .describe('Id of the access key for the object stores')
    .meta({ isSecret: true }),
  GATEFOLD_S3_SECRET_ACCESS_KEY: text
    .describe('Secret of that access key')
    .meta({ isSecret: true }),
  GATEFOLD_S3_CONNECTIONS: wholeNumber(1, 1000)
    .default(64)
    .describe('Maximum connections to an object store per process'),
  GATEFOLD_S3_SECONDS: wholeNumber(1, 600)
    .default(30)
    .describe('Timeout of an object store that sends nothing; then requests get 503'),
}) {
  /** Object stores need keys, and the former one must be another. */
  static override faultsOf(settings: StoreSettings): string[] {
    const { filesStore, filesFormerStore: former, s3AccessKeyId, s3SecretAccessKey } = settings;
    const store = filesStore === 'folder' ? undefined : filesStore;
    const keys = {
      GATEFOLD_S3_ACCESS_KEY_ID: s3AccessKeyId,
      GATEFOLD_S3_SECRET_ACCESS_KEY: s3SecretAccessKey,
    };
    const missing = Object.entries(keys).filter(
      ([, key]) => key === undefined && (store ?? former),
    );
    return [
      ...missing.map(([name]) => `An object store for files needs ${name} to be set, too.`),
      ...(store !== undefined && store.address === former?.address
        ? ['GATEFOLD_FILES_FORMER_STORE must be another object store than GATEFOLD_FILES_STORE.']
        : []),
    ];
  }
}

const PARAMETERS = new Set(['endpoint', 'region', 'path-style']);

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/;

const DEFAULT_REGION = 'us-east-1';

/**
 * Parses `folder`, or `s3://bucket/prefix?endpoint=https://host&region=eu-1&path-style=true`.
 *
 * @throws Error whose message omits the value, which may contain a password
 */
export function readFilesStore(text: string): FilesStore {
  if (text === 'folder') {
    return 'folder';
  }
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') {
    throw new Error('must be "folder", or an address such as s3://bucket/prefix');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('must be without keys; set GATEFOLD_S3_ACCESS_KEY_ID and its secret');
  }
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) {
    throw new Error('must have no other parameters than endpoint, region and path-style');
  }
  if (!BUCKET.test(url.host)) {
    throw new Error('must name a bucket of 3 to 63 small letters, digits, dots and hyphens');
  }
  const path = url.pathname.replace(/^\/|\/$/g, '');
  const prefix = path === '' ? '' : `${path}/`;
  if (!PREFIX.test(prefix) || prefix.length > 500) {
    throw new Error('must have a prefix of letters, digits, dots, hyphens and slashes');
  }
  return {
    bucket: url.host,
    prefix,
    endpoint: readEndpoint(url.searchParams.get('endpoint')),
    region: url.searchParams.get('region') ?? DEFAULT_REGION,
    pathStyle: readPathStyle(url.searchParams.get('path-style')),
    address: `s3://${url.host}/${prefix}`.replace(/\/$/, ''),
  };
}

function readEndpoint(text: string | null): string | undefined {
  if (text === null) {
    return undefined;
  }
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('must have an http or https address, without keys, as its endpoint');
  }
  return url.href.replace(/\/$/, '');
}

function readPathStyle(text: string | null): boolean {
  if (text !== null && text !== 'true' && text !== 'false') {
    throw new Error('must have path-style=true or path-style=false');
  }
  return text === 'true';
}
