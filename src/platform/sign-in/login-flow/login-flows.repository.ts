import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { LoginFlowEntity } from './login-flow.entity.js';
import {
  countFlows,
  removeExpiredFlows,
  removeOldestFlows,
  takeGranted,
  type FlowCounts,
} from './login-flows.sql.js';

type NewLoginFlow = Pick<
  LoginFlowEntity,
  'pollTokenHash' | 'loginTokenHash' | 'clientName' | 'network' | 'expiresAt'
>;

/** What a user has granted to a program. */
interface Grant {
  readonly userId: string;
  readonly appPasswordId: number;
  readonly sealedAppPassword: Buffer;
}

/** Logins of programs in progress. A flow is undecided until it has a user. */
@Injectable()
export class LoginFlowsRepository {
  constructor(private readonly database: Database) {}

  async add(flow: NewLoginFlow): Promise<void> {
    await this.database.entities((em) => em.insert(LoginFlowEntity, flow));
  }

  async count(network: string, now: Date): Promise<FlowCounts> {
    return countFlows(this.database, network, now);
  }

  /** @returns the name of the program; null for an unknown, expired or decided flow */
  async findUndecided(loginTokenHash: Buffer, now: Date): Promise<string | null> {
    const flow = await this.database.entities((em) =>
      em.findOne(LoginFlowEntity, undecided(loginTokenHash, now), {
        fields: ['clientName'],
        disableIdentityMap: true,
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
   * Returns a grant once, and only while its account is not disabled.
   *
   * @returns null without a grant
   */
  async take(
    pollTokenHash: Buffer,
    now: Date,
  ): Promise<Pick<Grant, 'userId' | 'sealedAppPassword'> | null> {
    const { userId, sealedAppPassword } =
      (await takeGranted(this.database, pollTokenHash, now)) ?? {};
    return userId && sealedAppPassword ? { userId, sealedAppPassword } : null;
  }

  /** Removes flows that no user has decided. */
  async removeOldest(count: number): Promise<void> {
    await removeOldestFlows(this.database, count);
  }

  /** Also removes the app passwords that no program fetched. */
  async removeExpired(now: Date): Promise<void> {
    await removeExpiredFlows(this.database, now);
  }
}

function undecided(loginTokenHash: Buffer, now: Date) {
  return { loginTokenHash, expiresAt: { $gt: now }, userId: null };
}
