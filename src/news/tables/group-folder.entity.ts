import { entityOf, p } from '../../database/entity-of.js';

/** A folder of a group, which each of its members has. */
export class GroupFolderEntity extends entityOf('group_folder', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  groupId: p.text(),
  name: p.text(),
  /** Rises with each change of the folder or its feeds. */
  rev: p.bigint('number').default(1),
  createdAt: p.datetime().defaultRaw('now()'),
}) {}

/** A feed of a group's folder. Its credentials are those of the source. */
export class GroupFolderFeedEntity extends entityOf('group_folder_feed', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  folderId: p.bigint('number'),
  sourceId: p.bigint('number'),
  /** Without credentials. */
  url: p.text(),
  /** Otherwise it is recommended: a member may hide it. */
  isMandatory: p.boolean().default(false),
}) {}

/** A member of the group who may change the folder. */
export class GroupFolderEditorEntity extends entityOf('group_folder_editor', {
  folderId: p.bigint('number').primary(),
  userId: p.text().primary(),
}) {}

/** What a user was given: a folder, which may be gone or another group's by now, and its revision. */
export class GroupFolderMemberEntity extends entityOf('group_folder_member', {
  userId: p.text().primary(),
  folderId: p.bigint('number').primary(),
  rev: p.bigint('number'),
}) {}

/** What rules of groups do; labels become those of each member with that name. */
export type GroupRuleAction =
  | { readonly type: 'read' | 'hide' | 'notify' }
  | { readonly type: 'label'; readonly names: readonly string[] };

/** A rule for the feeds of a group's folder. */
export class GroupRuleEntity extends entityOf('group_rule', {
  /** Random: the id of the rule of each member as well. */
  id: p.bigint('number').primary(),
  folderId: p.bigint('number'),
  /** Rising, in the order in which they were made. */
  place: p.bigint('number').autoincrement().generated('identity'),
  name: p.text(),
  query: p.text(),
  actions: p.json().$type<readonly GroupRuleAction[]>(),
}) {}
