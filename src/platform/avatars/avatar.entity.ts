import { defineEntity, p } from '@mikro-orm/core';

const AvatarSchema = defineEntity({
  name: 'AvatarEntity',
  tableName: 'avatar',
  properties: {
    userId: p.text().primary(),
    mediaType: p.text(),
    bytes: p.blob(),
    digest: p.text(),
    changedAt: p.datetime().defaultRaw('now()'),
  },
});

export class AvatarEntity extends AvatarSchema.class {}

AvatarSchema.setClass(AvatarEntity);
