import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { lockLimit } from '../../../database/lock-limit.js';

/** A login of a program that a user completes in a browser (login flow v2). */
export class LoginFlowEntity extends entityOf('login_flow', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** SHA-256 of the token with which the program polls. */
  pollTokenHash: p.blob().$type<Buffer>(),
  /** SHA-256 of the token in the address that the browser opens. */
  loginTokenHash: p.blob().$type<Buffer>(),
  clientName: p.text(),
  /** Network of the program, see `networkOf`. */
  network: p.text(),
  expiresAt: p.datetime(),
  /** Null until the user has decided. */
  userId: p.text().strictNullable(),
  appPasswordId: p.bigint('number').strictNullable(),
  /** Sealed by `SecretBox`, until the program fetches it. */
  sealedAppPassword: p.blob().$type<Buffer>().strictNullable(),
}) {}

type NewLoginFlow = Pick<
  LoginFlowEntity,
  'pollTokenHash' | 'loginTokenHash' | 'clientName' | 'network' | 'expiresAt'
>;

/** A user's grant to a program. */
interface Grant {
  readonly userId: string;
  readonly appPasswordId: number;
  readonly sealedAppPassword: Buffer;
}

interface FlowBounds {
  readonly now: Date;
  readonly mostOfNetwork: number;
  readonly mostOfAll: number;
}

/** Logins of programs in progress. A flow is undecided until it has a user. */
@Injectable()
export class LoginFlowsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads the whole table, and drops the oldest undecided flows of all networks if there are too many.
   *
   * @returns false if the network has `mostOfNetwork`
   */
  async add(flow: NewLoginFlow, { now, mostOfNetwork, mostOfAll }: FlowBounds): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await lockLimit(tx, 'login-flows-per-network', flow.network);
      const [row] = await tx.query<{ readonly ofNetwork: number; readonly total: number }>(
        `select count(*)::int as total, count(*) filter (where network = $1)::int as "ofNetwork"
           from login_flow where expires_at > $2`,
        [flow.network, now],
      );
      const { ofNetwork, total } = row ?? { ofNetwork: 0, total: 0 };
      if (ofNetwork >= mostOfNetwork) {
        return false;
      }
      if (total >= mostOfAll) {
        await tx.query(
          `delete from login_flow where poll_token_hash in (
             select poll_token_hash from login_flow where user_id is null order by expires_at limit $1)`,
          [total - mostOfAll + 1],
        );
      }
      await tx.em.insert(LoginFlowEntity, flow);
      return true;
    });
  }

  /** @returns the name of the program; null for an unknown, expired or decided flow */
  async findUndecided(loginTokenHash: Buffer, now: Date): Promise<string | null> {
    const flow = await this.database.entities((em) =>
      em.findOne(LoginFlowEntity, undecided(loginTokenHash, now), {
        fields: ['clientName'],
      }),
    );
    return flow?.clientName ?? null;
  }

  /** @returns false for an unknown, expired or decided flow; so does `deny` */
  async grant(loginTokenHash: Buffer, grant: Grant, now: Date): Promise<boolean> {
    const granted = await this.database.entities((em) =>
      em.nativeUpdate(LoginFlowEntity, undecided(loginTokenHash, now), grant),
    );
    return granted > 0;
  }

  async deny(loginTokenHash: Buffer, now: Date): Promise<boolean> {
    const denied = await this.database.entities((em) =>
      em.nativeDelete(LoginFlowEntity, undecided(loginTokenHash, now)),
    );
    return denied > 0;
  }

  /**
   * Returns a grant once, and only while its account is not disabled; by `poll_token_hash`.
   *
   * @returns null without a grant
   */
  async take(
    pollTokenHash: Buffer,
    now: Date,
  ): Promise<Pick<Grant, 'userId' | 'sealedAppPassword'> | null> {
    const [row] = await this.database.query<Pick<LoginFlowEntity, 'userId' | 'sealedAppPassword'>>(
      `delete from login_flow f using account a
       where f.poll_token_hash = $1 and f.expires_at > $2
         and a.user_id = f.user_id and a.disabled_at is null
       returning f.user_id as "userId", f.sealed_app_password as "sealedAppPassword"`,
      [pollTokenHash, now],
    );
    return row?.userId && row.sealedAppPassword
      ? { userId: row.userId, sealedAppPassword: row.sealedAppPassword }
      : null;
  }

  /** Removes expired flows, and the app passwords of flows that no program fetched. */
  async removeExpired(now: Date): Promise<void> {
    await this.database.query(
      `with expired as (delete from login_flow where expires_at <= $1 returning app_password_id)
       delete from app_password where id in (select app_password_id from expired)`,
      [now],
    );
  }

  /** By the index of `user_id`; the flows go with their app passwords. */
  async withdrawGrants(userId: string): Promise<void> {
    await this.database.query(
      'delete from app_password where id in (select app_password_id from login_flow where user_id = $1)',
      [userId],
    );
  }
}

function undecided(loginTokenHash: Buffer, now: Date) {
  return { loginTokenHash, expiresAt: { $gt: now }, userId: null };
}
