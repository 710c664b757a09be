import { entityOf, p } from '../../../database/entity-of.js';
import type { Colour } from './colours.js';

/**
 * A quoted passage of an item, by W3C's text quote selector, with what the user notes about it; or, with an
 * empty `exact`, the note of the item itself, of which there is at most one.
 */
export class ItemHighlightEntity extends entityOf('item_highlight', {
  readerId: p.bigint('number').primary(),
  /** Rising. */
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  itemId: p.bigint('number'),
  exact: p.text(),
  /** What stood before it and after it. */
  prefix: p.text(),
  suffix: p.text(),
  /** Where it stood, in UTF-16 code units of the text: a hint; -1 for the note of the item. */
  position: p.integer(),
  colour: p.text().$type<Colour>(),
  note: p.text().strictNullable(),
  createdAt: p.datetime().defaultRaw('now()'),
  changedAt: p.datetime().defaultRaw('now()'),
}) {}
