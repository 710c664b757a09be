import type { SecurityEvent } from './security-events.repository.js';

/**
 * JSON of an event in the API and the export: `time` in Unix seconds, `user` the affected user, `actor` and
 * `credential` the cause; absent values are null. `userDeleted` and `actorDeleted` are when those accounts
 * were deleted.
 */
export function toEventJson(event: SecurityEvent) {
  const { id, happenedSeconds, kind, userId, address, details, actorId, credential } = event;
  return {
    id,
    time: happenedSeconds,
    kind,
    user: userId,
    userDeleted: event.userDeletedSeconds,
    subject:
      event.subjectKind === null ? null : { kind: event.subjectKind, id: event.subjectId ?? '' },
    address,
    details,
    actor: actorId,
    actorDeleted: event.actorDeletedSeconds,
    credential,
  };
}

/** One line per event, each a JSON object. */
export async function* jsonLines(events: AsyncIterable<SecurityEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    yield `${JSON.stringify(toEventJson(event))}\n`;
  }
}
