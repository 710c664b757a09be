import { entityOf, p } from '../../../database/entity-of.js';

/** An article that was listed again after the feed had started without it, until its delivery. */
export class LateDeliveryEntity extends entityOf('late_delivery', {
  subscriptionId: p.bigint('number').primary(),
  articleId: p.bigint('number').primary(),
  since: p.datetime().defaultRaw('now()'),
}) {}
