import { entityOf, p } from '../../../database/entity-of.js';

/** The keyword filter of a feed. */
export class SubscriptionFilterEntity extends entityOf('subscription_filter', {
  readerId: p.bigint('number').primary(),
  subscriptionId: p.bigint('number').primary(),
  id: p.bigint('number').autoincrement().generated('identity'),
  /** Comma-separated as typed by the user; empty for none. */
  titleKeywords: p.text(),
  bodyKeywords: p.text(),
  urlKeywords: p.text(),
}) {}
