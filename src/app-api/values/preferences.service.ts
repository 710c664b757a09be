import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { AccountDeletionHooks } from '../../common/ports/account-deletion-hooks.js';
import { ScopedKeyValues } from './scoped-key-values.js';
import { ValuesRepository } from './values.repository.js';

/** Values that external apps store per user, set by the app or by the user in a settings form. */
@Injectable()
export class PreferencesService {
  constructor(
    private readonly values: ValuesRepository,
    private readonly config: Config,
    deletionHooks: AccountDeletionHooks,
  ) {
    deletionHooks.onErase((userId) => values.removeOfUser(userId));
  }

  of(appId: string, userId: string): ScopedKeyValues {
    return new ScopedKeyValues(this.values, { appId, userId }, this.config);
  }
}
