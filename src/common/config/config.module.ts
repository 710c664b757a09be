import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Pause } from '../pause.js';
import { AppsOrigin } from './apps-origin.js';
import { Config } from './config.js';
import { EdgeRules } from './edge-rules.js';
import { PublicAddress } from './public-address.js';

/** Provides the settings of all subjects, clock and timer to all modules. */
@Global()
@Module({})
export class ConfigModule {
  static with(config: Config, rules: EdgeRules): DynamicModule {
    const providers = [
      ...[...config.subjects].map(([provide, useValue]) => ({ provide, useValue })),
      { provide: EdgeRules, useValue: rules },
      Clock,
      Pause,
      AppsOrigin,
      PublicAddress,
    ];
    return { module: ConfigModule, providers, exports: providers };
  }
}
