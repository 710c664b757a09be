import { defineEntity, p } from '@mikro-orm/core';
import type { Notification } from '../../common/ports/notification-center.js';

const NotificationSchema = defineEntity({
  name: 'NotificationEntity',
  tableName: 'notification',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    userId: p.text(),
    /** The sender. */
    appId: p.text(),
    /** Type of the subject, in the sender's terms. */
    objectType: p.text(),
    objectId: p.text(),
    subject: p.json().columnType('json').$type<Notification['subject']>(),
    message: p.json().columnType('json').$type<Notification['subject']>(),
    link: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** A message to a user from an external app or a room, until it is dismissed. */
export class NotificationEntity extends NotificationSchema.class {}

NotificationSchema.setClass(NotificationEntity);
