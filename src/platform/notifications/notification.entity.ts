import { defineEntity, p } from '@mikro-orm/core';

const NotificationSchema = defineEntity({
  name: 'NotificationEntity',
  tableName: 'notification',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    userId: p.text(),
    appId: p.text(),
    objectType: p.text(),
    objectId: p.text(),
    subject: p.json().columnType('json').$type<unknown>(),
    message: p.json().columnType('json').$type<unknown>(),
    link: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export class NotificationEntity extends NotificationSchema.class {}

NotificationSchema.setClass(NotificationEntity);
