import { z } from 'zod';
import type { NamedParticipant } from './participants.service.js';

/** Post (128), react (256) and skip the lobby (8); no calls. */
export const PERMISSIONS = 8 + 128 + 256;

export function toParticipantJson({ id, userId, displayName, type }: NamedParticipant) {
  return {
    attendeeId: id,
    actorType: 'users',
    actorId: userId,
    displayName,
    participantType: type,
    lastPing: 0,
    inCall: 0,
    permissions: PERMISSIONS,
    attendeePermissions: 0,
    sessionIds: [],
  };
}

export const ParticipantsAnswer = z.array(
  z.object({
    attendeeId: z.int(),
    actorType: z.string(),
    actorId: z.string(),
    displayName: z.string(),
    participantType: z.int(),
    lastPing: z.int(),
    inCall: z.int(),
    permissions: z.int(),
    attendeePermissions: z.int(),
    sessionIds: z.array(z.string()),
  }),
);
