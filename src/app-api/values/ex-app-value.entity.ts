import { defineEntity, p } from '@mikro-orm/core';

const ExAppValueSchema = defineEntity({
  name: 'ExAppValueEntity',
  tableName: 'ex_app_value',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    appId: p.text(),
    userId: p.text(),
    key: p.text(),
    value: p.text().strictNullable(),
    valueSealed: p.blob().strictNullable(),
    sensitive: p.boolean().default(false),
  },
});

export class ExAppValueEntity extends ExAppValueSchema.class {}

ExAppValueSchema.setClass(ExAppValueEntity);
