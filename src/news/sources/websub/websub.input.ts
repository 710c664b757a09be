import { z } from 'zod';

/** @see https://www.w3.org/TR/websub/ "Hub Verifies Intent of the Subscriber" */
export const VerifySubscription = z.object({
  callbackId: z.string(),
  'hub.mode': z.string(),
  'hub.topic': z.string(),
  'hub.challenge': z.string().optional(),
  'hub.lease_seconds': z.coerce.number().int().positive().optional(),
});
