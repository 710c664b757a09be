import { Injectable } from '@nestjs/common';
import type { Grant } from '../../../common/ports/allowances.js';
import { Database } from '../../../database/database.js';
import {
  removeAllowancesOf,
  removeEndedAllowances,
  useAllowance,
  type WantedUse,
} from './allowances.sql.js';
import { CleanUpPace } from './clean-up-pace.js';

const CLEAN_UP_SECONDS = 3600;
const CLEAN_UP_ADDITIONS = 10_000;

/** A row for each owner and kind in use; later uses also remove those whose period has ended. */
@Injectable()
export class AllowancesRepository {
  readonly #pace = new CleanUpPace(CLEAN_UP_SECONDS, CLEAN_UP_ADDITIONS);

  constructor(private readonly database: Database) {}

  async use(use: WantedUse): Promise<Grant> {
    const [grant] = await useAllowance(this.database, use);
    if (this.#pace.add(use.now.getTime() / 1000)) {
      await removeEndedAllowances(this.database, use.now);
    }
    if (grant === undefined) {
      throw new Error('The statement returns a row.');
    }
    return grant;
  }

  async removeOf(owner: string): Promise<void> {
    await removeAllowancesOf(this.database, owner);
  }
}
