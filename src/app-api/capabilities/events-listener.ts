import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { handler, name, text } from '../field-schemas.js';
import { identityOf, type Capability } from './capability.js';

const input = z.object({
  eventType: name(32),
  /** Empty for all of them. */
  eventSubtypes: orElse(z.array(text(64), { error: 'must be a list of texts' }), []),
  actionHandler: handler(410),
});

export type EventsListenerFields = z.output<typeof input>;

/** A subscription to events of one type, such as changes of files. */
export const EVENTS_LISTENER: Capability<EventsListenerFields> = {
  kind: 'events_listener',
  routes: ['v1/events_listener'],
  input,
  keyInput: z.object({ eventType: name(32) }).transform(({ eventType }) => eventType),
  keyOf: (fields) => fields.eventType,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    event_type: fields.eventType,
    event_subtypes: fields.eventSubtypes,
    action_handler: fields.actionHandler,
  }),
  missing: 'No such event listener',
};
