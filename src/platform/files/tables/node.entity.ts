import { entityOf, p } from '../../../database/entity-of.js';

/** A file or folder in a user's tree. */
export class FileNodeEntity extends entityOf('file_node', {
  id: p.bigint('number').primary().autoincrement().generated('by default as identity'),
  /** Null for the root of a tree that is being removed. */
  userId: p.text().strictNullable(),
  /** Null for a user's top folder. */
  parentId: p.bigint('number').strictNullable(),
  /** Empty for a user's top folder. */
  name: p.text(),
  isFolder: p.boolean(),
  mime: p.text(),
  /** For a folder: the sum of all files below it. */
  sizeBytes: p.bigint('number').default(0),
  /** For a folder: changes with everything below it. */
  etag: p.text(),
  mtimeSeconds: p.bigint('number'),
  /** 0 when unknown. */
  createdSeconds: p.bigint('number').default(0),
  /** 0 when unknown. */
  uploadedSeconds: p.bigint('number').default(0),
  favorite: p.boolean().default(false),
  /** Null for a folder. */
  blobId: p.uuid().strictNullable(),
  /** `SHA1:…`; empty for a folder. */
  checksum: p.text().default(''),
  /** Inner XML by `{namespace}name`. */
  deadProperties: p.json().$type<Readonly<Record<string, string>>>().defaultRaw("'{}'::jsonb"),
  /** Size of `deadProperties`; 0 without any. */
  propertyBytes: p.integer().default(0),
  /** Files and folders below a folder; 0 for a file. */
  nodeCount: p.bigint('number').default(0),
}) {}

/** A tree that was detached from its user's tree and is being removed in batches. */
export class FileRemovalEntity extends entityOf('file_removal', {
  rootId: p.bigint('number').primary(),
  userId: p.text(),
  /** Nodes in the tree when it was detached, its root included. */
  nodeCount: p.bigint('number'),
}) {}
