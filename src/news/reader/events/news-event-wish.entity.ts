import { defineEntity, p } from '@mikro-orm/core';

const NewsEventWishSchema = defineEntity({
  name: 'NewsEventWishEntity',
  tableName: 'news_event_wish',
  properties: {
    subtype: p.text().primary(),
  },
});

/** A subtype of events that any enabled app wants, `*` for all. Kept by triggers on registrations. */
export class NewsEventWishEntity extends NewsEventWishSchema.class {}

NewsEventWishSchema.setClass(NewsEventWishEntity);
