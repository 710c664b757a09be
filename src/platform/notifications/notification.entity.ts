import { entityOf, p } from '../../database/entity-of.js';
import type { Notification } from '../../common/ports/notification-center.js';

/** A message to a user from an external app or a room, until it is dismissed. */
export class NotificationEntity extends entityOf('notification', {
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
}) {}
