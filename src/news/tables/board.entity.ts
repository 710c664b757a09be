import { entityOf, p } from '../../database/entity-of.js';

/** A board of a group: a feed of a group's folder, whose articles its members add. */
export class BoardEntity extends entityOf('board', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** Of `group_folder_feed`. */
  feedId: p.bigint('number'),
  sourceId: p.bigint('number'),
}) {}

/** What was added to a board, once however often it was added. */
export class BoardEntryEntity extends entityOf('board_entry', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  boardId: p.bigint('number'),
  /** SHA-256 of the link, or of what identifies an article without one. */
  linkHash: p.blob(),
  title: p.text().strictNullable(),
  url: p.text().strictNullable(),
  /** Rises with each change of who has added it. */
  rev: p.bigint('number').default(1),
}) {}

/** Who added an entry, when and why. */
export class BoardAdditionEntity extends entityOf('board_addition', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  entryId: p.bigint('number'),
  /** Null: the account is gone. */
  userId: p.text().strictNullable(),
  /** Of the account, when it was added. */
  name: p.text(),
  note: p.text(),
  addedAt: p.datetime().defaultRaw('now()'),
}) {}
