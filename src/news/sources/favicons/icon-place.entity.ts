import { entityOf, p } from '../../../database/entity-of.js';

/** The address of an icon, or a website, with the last icon that was there for all its feeds. */
export class IconPlaceEntity extends entityOf('icon_place', {
  /** SHA-256 of the address. */
  key: p.blob().primary(),
  /** Asked again then; within ten minutes while a process asks. */
  dueAt: p.datetime(),
  iconId: p.bigint('number').strictNullable(),
  iconUrl: p.text().strictNullable(),
}) {}
