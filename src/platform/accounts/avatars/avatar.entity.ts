import { defineEntity, p } from '@mikro-orm/core';
import type { PictureType } from './picture-type.js';

const AvatarSchema = defineEntity({
  name: 'AvatarEntity',
  tableName: 'avatar',
  properties: {
    userId: p.text().primary(),
    mediaType: p.text().$type<PictureType>(),
    bytes: p.blob().$type<Buffer>(),
    /** SHA-256 of the bytes, in hexadecimal digits. */
    digest: p.text(),
    changedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A picture that a user has uploaded. */
export class AvatarEntity extends AvatarSchema.class {}

AvatarSchema.setClass(AvatarEntity);
