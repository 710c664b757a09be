/** Errors of the SDK: a store's answer has a status, a network error a code. */
interface Fault {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Codes of different stores. */
const OUT_OF_SPACE = new Set([
  'QuotaExceeded',
  'InsufficientStorage',
  'InsufficientCapacity',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'EntityTooLarge',
]);

/** Whether the store answered that there is no such object; a missing bucket is another fault. */
export function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as Fault;
  return $metadata?.httpStatusCode === 404 && name !== 'NoSuchBucket';
}

export function isOutOfRange(error: unknown): boolean {
  return (error as Fault).$metadata?.httpStatusCode === 416;
}

export function isOutOfSpace(error: unknown): boolean {
  const { name = '', $metadata } = error as Fault;
  return OUT_OF_SPACE.has(name) || $metadata?.httpStatusCode === 507;
}

/** Name for the log: without the message, which may repeat sent data. */
export function nameOfFault(error: unknown): string {
  const { name = 'Error', code, $metadata } = error as Fault;
  const status = $metadata?.httpStatusCode;
  return [code ?? name, ...(status === undefined ? [] : [`status ${status}`])].join(', ');
}
