import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import type { AccountRow } from '../../accounts/users/accounts.sql.js';

type Known = Pick<AccountRow, 'isAdmin' | 'hasSecondFactor'>;

/** Who needs a second factor: whoever has one, and whom `GATEFOLD_SECOND_FACTOR` names. */
@Injectable()
export class SecondFactorRule {
  constructor(private readonly config: Config) {}

  /** Whether the right password is not enough. */
  needsMore(account: Known): boolean {
    return account.hasSecondFactor || this.isMissing(account);
  }

  /** Whether the account has none, and has to set one up before it is let in with its password. */
  isMissing({ isAdmin, hasSecondFactor }: Known): boolean {
    const { secondFactor } = this.config;
    const isRequired =
      secondFactor === 'required' || (secondFactor === 'administrators' && isAdmin);
    return isRequired && !hasSecondFactor;
  }
}
