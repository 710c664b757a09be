import { entityOf, p } from '../../database/entity-of.js';
import type { ListKind } from './list-kinds.js';

/** A list of a user that is read at a secret address, without the user's credentials. */
export class FeedOutEntity extends entityOf('feed_out', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  kind: p.text().$type<ListKind>(),
  /** Of the folder, label, search or item; 0 for the starred ones. */
  ofId: p.bigint('number'),
  /** SHA-256 of the token in the address. */
  tokenHash: p.blob(),
  /** The token, so that the user can see the address again. */
  sealed: p.blob().$type<Buffer>(),
  /** Whole texts; otherwise their beginnings. */
  fullText: p.boolean(),
  /** Whether the user's notes are shown. */
  withNotes: p.boolean(),
  createdAt: p.datetime().defaultRaw('now()'),
  changedAt: p.datetime().defaultRaw('now()'),
}) {}
