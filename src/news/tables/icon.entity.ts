import { entityOf, p } from '../../database/entity-of.js';

/** A raster image that one or several sources show as their icon. */
export class IconEntity extends entityOf('icon', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** SHA-256 of `bytes`. */
  contentHash: p.blob(),
  mime: p.text(),
  bytes: p.blob(),
}) {}

/** The address of an icon, or a website, with the last icon that was there for all its feeds. */
export class IconPlaceEntity extends entityOf('icon_place', {
  /** SHA-256 of the address. */
  key: p.blob().primary(),
  /** Asked again then; within ten minutes while a process asks. */
  dueAt: p.datetime(),
  iconId: p.bigint('number').strictNullable(),
  iconUrl: p.text().strictNullable(),
}) {}
