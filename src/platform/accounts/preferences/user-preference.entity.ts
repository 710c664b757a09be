import { entityOf, p } from '../../../database/entity-of.js';

/** The preferences of a user in one area: fields that differ from their default. */
export class UserPreferenceEntity extends entityOf('user_preference', {
  userId: p.text().primary(),
  area: p.text().primary(),
  chosen: p.json().$type<Readonly<Record<string, unknown>>>().defaultRaw("'{}'::jsonb"),
  version: p.integer().default(0),
}) {}
