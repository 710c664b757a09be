import { ConditionFailed } from '../files.errors.js';
import type { FilePath } from '../tree/file-path.js';
import type { StoredNode } from '../tree/nodes.repository.js';

/** One thing that has to be so: that a lock is there, or that content is of an etag. */
export interface IfCondition {
  readonly negated: boolean;
  readonly lockToken?: string;
  readonly etag?: string;
}

/** Premises that have to hold together. */
export interface IfConditionList {
  /** What they are about; null for the node that is asked for. */
  readonly path: FilePath | null;
  readonly conditions: readonly IfCondition[];
}

/** What a request makes itself depend on. Etags are without quotes. */
export interface Preconditions {
  readonly ifMatch?: readonly string[] | '*';
  readonly ifNoneMatch?: readonly string[] | '*';
  readonly ifUnmodifiedSinceSeconds?: number;
  /** One of them has to hold, if there are any. */
  readonly lists: readonly IfConditionList[];
}

export const UNCONDITIONAL: Preconditions = { lists: [] };

/** Whoever names a lock's token may pass it. */
export function lockTokensOf({ lists }: Preconditions): ReadonlySet<string> {
  const conditions = lists.flatMap((list) => list.conditions);
  return new Set(conditions.flatMap(({ lockToken }) => lockToken ?? []));
}

/** @throws ConditionFailed */
export function assertPreconditions(preconditions: Preconditions, node: StoredNode | null): void {
  const { ifMatch, ifNoneMatch, ifUnmodifiedSinceSeconds } = preconditions;
  if (ifMatch !== undefined && !isOneOf(ifMatch, node)) {
    throw new ConditionFailed('There is another version by now than the one that was expected.');
  }
  if (ifNoneMatch !== undefined && isOneOf(ifNoneMatch, node)) {
    throw new ConditionFailed('There is something already, which was to be left as it is.');
  }
  if (
    ifMatch === undefined &&
    ifUnmodifiedSinceSeconds !== undefined &&
    node !== null &&
    node.mtimeSeconds > ifUnmodifiedSinceSeconds
  ) {
    throw new ConditionFailed('It was changed after the time that was named.');
  }
}

function isOneOf(etags: readonly string[] | '*', node: StoredNode | null): boolean {
  return node !== null && (etags === '*' || etags.includes(node.etag));
}
