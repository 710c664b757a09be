import { defineEntity, p } from '@mikro-orm/core';

const LabelSchema = defineEntity({
  name: 'LabelEntity',
  tableName: 'label',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    readerId: p.bigint('number'),
    /** Unique among the reader's labels. */
    name: p.text(),
  },
});

/** A name that a user gives to items. */
export class LabelEntity extends LabelSchema.class {}

LabelSchema.setClass(LabelEntity);
