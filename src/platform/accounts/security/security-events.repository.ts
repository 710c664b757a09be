import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { SecurityEventEntity } from './security-event.entity.js';
import type { EventActor, NewSecurityEvent, SecurityEventFilter } from './security-event.js';
import {
  listEvents,
  removeFailuresBeyond,
  streamEvents,
  type SecurityEvent,
} from './security-events.sql.js';

export type { SecurityEvent };

/** The log of security events. */
@Injectable()
export class SecurityEventsRepository {
  constructor(private readonly database: Database) {}

  async add(event: NewSecurityEvent & EventActor, happenedAt: Date): Promise<void> {
    const {
      kind,
      userId = null,
      subject,
      address,
      details = null,
      actorId = null,
      credential = null,
    } = event;
    const row = {
      kind,
      userId,
      subjectKind: subject?.kind ?? null,
      subjectId: subject?.id ?? null,
      address: address || null,
      details,
      actorId,
      credential,
      happenedAt,
    };
    await this.database.entities((em) => em.insert(SecurityEventEntity, row));
  }

  /**
   * Newest first.
   *
   * @param beforeId cursor: only older events; null starts at the newest
   */
  async list(
    filter: SecurityEventFilter,
    limit: number,
    beforeId: number | null,
  ): Promise<SecurityEvent[]> {
    return listEvents(this.database, filter, limit, beforeId);
  }

  /** Oldest first, those that there are when it begins. */
  stream(filter: SecurityEventFilter): AsyncGenerator<SecurityEvent> {
    return streamEvents(this.database, filter);
  }

  /** Tells the user's events from those of a later account of that name. */
  async markDeleted(userId: string, time: Date): Promise<void> {
    await this.database.entities(async (em) => {
      const asUser = { userId, userDeletedAt: null };
      const asActor = { actorId: userId, actorDeletedAt: null };
      await em.nativeUpdate(SecurityEventEntity, asUser, { userDeletedAt: time });
      await em.nativeUpdate(SecurityEventEntity, asActor, { actorDeletedAt: time });
    });
  }

  /** Removes the oldest failed logins beyond `mostKept`; other events remain. */
  async removeFailuresBeyond(mostKept: number): Promise<void> {
    await removeFailuresBeyond(this.database, mostKept);
  }

  async removeOlderThan(time: Date): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(SecurityEventEntity, { happenedAt: { $lt: time } }),
    );
  }
}
