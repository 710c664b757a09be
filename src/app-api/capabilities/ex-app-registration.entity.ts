import { entityOf, p } from '../../database/entity-of.js';
import type { RegistrationKind } from './capability.js';

/** One thing an external app registered: unique by app, kind and key. */
export class ExAppRegistrationEntity extends entityOf('ex_app_registration', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  appId: p.text(),
  kind: p.text().$type<RegistrationKind>(),
  key: p.text(),
  /** Shaped by the kind. `json` instead of `jsonb` preserves the order of the app's keys. */
  fields: p.json().columnType('json').$type<unknown>(),
  createdAt: p.datetime().defaultRaw('now()'),
}) {}
