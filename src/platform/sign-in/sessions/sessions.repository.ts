import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { LoginSessionEntity, type SessionProvider } from './login-session.entity.js';
import {
  addSession,
  findSession,
  findSessionById,
  listSessions,
  type ListedSession,
  type NewSession,
  type SessionAccountRow,
  type SessionRow,
} from './sessions.sql.js';

export type { ListedSession, SessionAccountRow, SessionProvider };

/** Sessions of browsers. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param most sessions of the user that remain, this one included; the least recently seen end
   * @returns the id
   */
  async add(session: NewSession, most: number): Promise<number> {
    const id = await addSession(this.database, session, most);
    if (id === undefined) {
      throw new Error(`The session of ${session.userId} was not saved`);
    }
    return id;
  }

  /** @param idleSince sessions last seen before this time have expired */
  async find(tokenHash: Buffer, now: Date, idleSince: Date): Promise<SessionRow | null> {
    return (await findSession(this.database, tokenHash, now, idleSince)) ?? null;
  }

  async findById(
    id: number,
    userId: string,
    now: Date,
    idleSince: Date,
  ): Promise<SessionAccountRow | null> {
    return (await findSessionById(this.database, id, userId, now, idleSince)) ?? null;
  }

  async changeLastSeen(id: number, lastSeenAt: Date, address: string): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(LoginSessionEntity, { id }, { lastSeenAt, address }),
    );
  }

  async changeProven(id: number, provenAt: Date): Promise<void> {
    await this.database.entities((em) => em.nativeUpdate(LoginSessionEntity, { id }, { provenAt }));
  }

  /** Sessions that have not expired, most recently seen first. */
  async list(userId: string, now: Date, idleSince: Date): Promise<ListedSession[]> {
    return listSessions(this.database, userId, now, idleSince);
  }

  /** @returns false when the user has no such session */
  async remove(userId: string, id: number): Promise<boolean> {
    return (
      (await this.database.entities((em) => em.nativeDelete(LoginSessionEntity, { userId, id }))) >
      0
    );
  }

  /** @param exceptId a session that remains */
  async removeAllOfUser(userId: string, exceptId?: number): Promise<void> {
    const others = exceptId === undefined ? {} : { id: { $ne: exceptId } };
    await this.database.entities((em) =>
      em.nativeDelete(LoginSessionEntity, { userId, ...others }),
    );
  }

  async removeExpired(now: Date, idleSince: Date): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(LoginSessionEntity, {
        $or: [{ expiresAt: { $lte: now } }, { lastSeenAt: { $lte: idleSince } }],
      }),
    );
  }
}
