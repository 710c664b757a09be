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
