import { entityOf, p } from '../../database/entity-of.js';
import type { Query } from '../query/query.js';

/** A search that a user keeps under a name. */
export class SavedSearchEntity extends entityOf('saved_search', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  /** Unique among the reader's searches. */
  name: p.text(),
  /** With its places bound to ids. */
  query: p.json().$type<Query>(),
  /** Whether Google Reader clients show it as a label. */
  inClients: p.boolean().default(false),
}) {}
