import { entityOf, p } from '../../../database/entity-of.js';
import type { PictureType } from './picture-type.js';

/** A picture that a user has uploaded. */
export class AvatarEntity extends entityOf('avatar', {
  userId: p.text().primary(),
  mediaType: p.text().$type<PictureType>(),
  bytes: p.blob().$type<Buffer>(),
  /** SHA-256 of the bytes, in hexadecimal digits. */
  digest: p.text(),
  changedAt: p.datetime().defaultRaw('now()'),
}) {}
