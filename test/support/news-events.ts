import type { NewsEventFeed, NewsEventItem } from '../../src/common/ports/news-events.js';
import type { ReceivedRequest } from './external-app.js';

export interface ReceivedNewsEvent {
  /** From the credentials. */
  readonly userId: string;
  readonly body: {
    readonly event_type: string;
    readonly event_subtype: string;
    readonly event_data: {
      readonly user_id: string;
      readonly items?: readonly NewsEventItem[];
      readonly goneItemIds?: readonly number[];
      readonly feed?: NewsEventFeed;
    };
  };
}

/** What the handler of a listener received. */
export function aNewsEvent({ body, userId }: ReceivedRequest): ReceivedNewsEvent {
  return { userId, body: JSON.parse(body.toString()) as ReceivedNewsEvent['body'] };
}
