import { entityOf, p } from '../../../database/entity-of.js';

/** A subtype of events that any enabled app wants, `*` for all. Kept by triggers on registrations. */
export class NewsEventWishEntity extends entityOf('news_event_wish', {
  subtype: p.text().primary(),
}) {}
