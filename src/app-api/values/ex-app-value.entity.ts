import { entityOf, p } from '../../database/entity-of.js';

/** A configuration value of an app, or a preference of one of its users. */
export class ExAppValueEntity extends entityOf('ex_app_value', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  appId: p.text(),
  /** Empty for a configuration value of the app itself. */
  userId: p.text(),
  key: p.text(),
  /** Null if sensitive. */
  value: p.text().strictNullable(),
  /** The encrypted value; null unless sensitive. */
  valueSealed: p.blob().strictNullable(),
  sensitive: p.boolean().default(false),
}) {}
