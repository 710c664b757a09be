import { defineEntity, p } from '@mikro-orm/core';

const IconSchema = defineEntity({
  name: 'IconEntity',
  tableName: 'icon',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    /** SHA-256 of `bytes`. */
    contentHash: p.blob(),
    mime: p.text(),
    bytes: p.blob(),
  },
});

/** A raster image that one or several sources show as their icon. */
export class IconEntity extends IconSchema.class {}

IconSchema.setClass(IconEntity);
