import { defineEntity, p } from '@mikro-orm/core';

const InstallationSchema = defineEntity({
  name: 'InstallationEntity',
  tableName: 'installation',
  properties: {
    onlyOne: p.boolean().primary().default(true),
    instanceId: p.text(),
    filesMarker: p.text().strictNullable(),
  },
});

export class InstallationEntity extends InstallationSchema.class {}

InstallationSchema.setClass(InstallationEntity);
