import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { ExAppUninstallHooks } from '../../common/ports/ex-app-uninstall-hooks.js';
import { ScopedKeyValues } from './scoped-key-values.js';
import { ValuesRepository } from './values.repository.js';

/** Configuration values of external apps, set by the app or by an administrator. */
@Injectable()
export class ConfigValuesService {
  constructor(
    private readonly values: ValuesRepository,
    private readonly config: Config,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    uninstallHooks.onUninstall(async (appId, keepData) => {
      if (!keepData) {
        await values.removeOfApp(appId);
      }
    });
  }

  of(appId: string): ScopedKeyValues {
    return new ScopedKeyValues(this.values, { appId }, this.config);
  }
}
