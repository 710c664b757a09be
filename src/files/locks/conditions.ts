import { ConditionFailed } from '../files.errors.js';
import type { FilePath } from '../tree/file-path.js';
import type { StoredNode } from '../tree/nodes.repository.js';

/** One thing that has to be so: that a lock is there, or that content is of an etag. */
export interface Premise {
  readonly negated: boolean;
  readonly lockToken?: string;
  readonly etag?: string;
}

/** Premises that have to hold together. */
export interface PremiseList {
  /** What they are about; null for the node that is asked for. */
  readonly path: FilePath | null;
  readonly premises: readonly Premise[];
}

/** What a request makes itself depend on. Etags are without quotes. */
export interface Conditions {
  readonly ifMatch?: readonly string[] | '*';
  readonly ifNoneMatch?: readonly string[] | '*';
  readonly ifUnmodifiedSinceSeconds?: number;
  /** One of them has to hold, if there are any. */
  readonly lists: readonly PremiseList[];
}

export const UNCONDITIONAL: Conditions = { lists: [] };

/** Whoever names a lock's token may pass it. */
export function lockTokensOf({ lists }: Conditions): ReadonlySet<string> {
  const premises = lists.flatMap((list) => list.premises);
  return new Set(premises.flatMap(({ lockToken }) => lockToken ?? []));
}

/** @throws ConditionFailed */
export function assertConditions(conditions: Conditions, node: StoredNode | null): void {
  const { ifMatch, ifNoneMatch, ifUnmodifiedSinceSeconds } = conditions;
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
