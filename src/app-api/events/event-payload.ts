import type { NodeEvent } from '../../common/ports/node-events.js';
import { toNodeJson } from '../node-json.js';

/** The only type of events. */
export const NODE_EVENT = 'node_event';

/** The body that the handler of a listener receives. */
export type EventPayload = ReturnType<typeof toEventPayload>;

export function toEventPayload({ subtype, target, source }: NodeEvent) {
  return {
    event_type: NODE_EVENT,
    event_subtype: subtype,
    event_data: {
      target: toNodeJson(target),
      ...(source && { source: toNodeJson(source) }),
    },
  };
}
