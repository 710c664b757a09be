import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { Allowances, Allowance, Grant } from '../../../common/ports/allowances.js';
import { AccountDeletionHooks } from '../../../common/ports/hooks.js';
import { AllowancesRepository } from './allowances.repository.js';

/** Counts uses in the database, so that more processes do not allow more. */
@Injectable()
export class AllowancesService implements Allowances {
  constructor(
    private readonly allowances: AllowancesRepository,
    private readonly clock: Clock,
    deletionHooks: AccountDeletionHooks,
  ) {
    deletionHooks.add((userId) => allowances.removeOf(userId));
  }

  async take(owner: string, { kind, most, periodSeconds }: Allowance, wanted = 1): Promise<Grant> {
    const nowSeconds = this.clock.nowSeconds();
    const now = new Date(nowSeconds * 1000);
    const endsAt = new Date((nowSeconds + periodSeconds) * 1000);
    return this.allowances.use({ owner, kind, wanted, most, now, endsAt });
  }
}
