import { entityOf, p } from '../../../database/entity-of.js';

/** A group that a provisioning service manages. */
export class ScimGroupEntity extends entityOf('scim_group', {
  id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
  groupId: p.text().unique(),
  externalId: p.text().nullable(),
  createdAt: p.datetime().defaultRaw('now()'),
  changedAt: p.datetime().defaultRaw('now()'),
}) {}
