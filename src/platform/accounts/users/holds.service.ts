import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Clock } from '../../../common/clock.js';
import { AccountHoldsOffer, type AccountHolds } from '../../../common/ports/account-holds.js';
import { Regularly } from '../../../database/regularly.js';
import { BeingDeleted, InvalidHoldEnd } from '../../platform.errors.js';
import { SecurityEventsService } from '../security/security-events.service.js';
import { HoldsRepository } from './holds.repository.js';
import { UsersService } from './users.service.js';

/** Accounts of which nothing is removed. What that means is in docs/operations/accounts.md. */
@Injectable()
export class HoldsService implements AccountHolds {
  constructor(
    private readonly holds: HoldsRepository,
    private readonly users: UsersService,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
    offer: AccountHoldsOffer,
  ) {
    offer.fill(this);
  }

  async heldUserIds(): Promise<readonly string[]> {
    return this.holds.list();
  }

  /**
   * @param end a day to come, as `2031-12-31`, at whose beginning in UTC the hold ends; undefined: without an end
   * @throws AccountNotFound
   * @throws BeingDeleted
   * @throws InvalidHoldEnd
   */
  async hold(userId: string, end?: string): Promise<void> {
    const now = this.clock.now();
    const until =
      end === undefined ? null : new Date(z.iso.date().safeParse(end).data ?? Number.NaN);
    InvalidHoldEnd.unless(until === null || until > now);
    await this.users.show(userId);
    BeingDeleted.unless(await this.holds.begin(userId, now, until), userId);
    const details = end === undefined ? 'without an end' : `until ${end}`;
    await this.events.record({ kind: 'hold_begun', userId, details });
  }

  /** No-op for an account that is not held. @throws AccountNotFound */
  async end(userId: string): Promise<void> {
    await this.users.show(userId);
    if (await this.holds.end(userId)) {
      await this.events.record({ kind: 'hold_ended', userId });
    }
  }

  /** Ends the holds whose day has come. */
  @Regularly('account-holds', 60)
  async endDue(): Promise<void> {
    for (const userId of await this.holds.endDue(this.clock.now())) {
      await this.events.record({ kind: 'hold_ended', userId, details: 'its day has come' });
    }
  }
}
