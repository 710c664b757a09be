import { ConditionFailed } from '../files.errors.js';
import type { FilePath } from '../tree/file-path.js';
import type { StoredNode } from '../tree/nodes.sql.js';

/** One condition of an `If` header (RFC 4918, section 10.4): a lock token or an etag. */
export interface IfCondition {
  readonly negated: boolean;
  readonly lockToken?: string;
  readonly etag?: string;
}

/** A list of the `If` header: all of its conditions have to hold. */
export interface IfConditionList {
  /** The resource tag; null for the address of the request. */
  readonly path: FilePath | null;
  readonly conditions: readonly IfCondition[];
}

/** The conditional headers of a request. Etags are without quotes. */
export interface Preconditions {
  readonly ifMatch?: readonly string[] | '*';
  readonly ifNoneMatch?: readonly string[] | '*';
  readonly ifUnmodifiedSinceSeconds?: number;
  /** At least one of them has to hold, if there are any. */
  readonly lists: readonly IfConditionList[];
}

/** Tokens in the `If` header, by which a request passes locks. */
export function lockTokensOf({ lists }: Preconditions): ReadonlySet<string> {
  const conditions = lists.flatMap((list) => list.conditions);
  return new Set(conditions.flatMap(({ lockToken }) => lockToken ?? []));
}

/** @throws ConditionFailed */
export function assertPreconditions(preconditions: Preconditions, node: StoredNode | null): void {
  const { ifMatch, ifNoneMatch, ifUnmodifiedSinceSeconds } = preconditions;
  if (ifMatch !== undefined && !isOneOf(ifMatch, node)) {
    throw new ConditionFailed('The file has changed: its ETag does not match If-Match.');
  }
  if (ifNoneMatch !== undefined && isOneOf(ifNoneMatch, node)) {
    throw new ConditionFailed('A file or folder that matches If-None-Match exists.');
  }
  if (
    ifMatch === undefined &&
    ifUnmodifiedSinceSeconds !== undefined &&
    node !== null &&
    node.mtimeSeconds > ifUnmodifiedSinceSeconds
  ) {
    throw new ConditionFailed('It was changed after the time in If-Unmodified-Since.');
  }
}

function isOneOf(etags: readonly string[] | '*', node: StoredNode | null): boolean {
  return node !== null && (etags === '*' || etags.includes(node.etag));
}
