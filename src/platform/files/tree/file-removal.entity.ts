import { entityOf, p } from '../../../database/entity-of.js';

/** A tree that was detached from its user's tree and is being removed in batches. */
export class FileRemovalEntity extends entityOf('file_removal', {
  /** The node at the top of the detached tree. */
  rootId: p.bigint('number').primary(),
  userId: p.text(),
  /** Nodes in the tree when it was detached, its root included. */
  nodeCount: p.bigint('number'),
}) {}
