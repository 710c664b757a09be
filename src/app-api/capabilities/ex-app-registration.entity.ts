import { defineEntity, p } from '@mikro-orm/core';

const ExAppRegistrationSchema = defineEntity({
  name: 'ExAppRegistrationEntity',
  tableName: 'ex_app_registration',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    appId: p.text(),
    kind: p.text(),
    key: p.text(),
    fields: p.json().columnType('json').$type<unknown>(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export class ExAppRegistrationEntity extends ExAppRegistrationSchema.class {}

ExAppRegistrationSchema.setClass(ExAppRegistrationEntity);
