import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Pause } from '../pause.js';
import { AppsOrigin } from './apps-origin.js';
import { Config } from './config.js';
import { EdgeRules } from './edge-rules.js';
import { PublicAddress } from './public-address.js';

/** Provides configuration, clock and timer to all modules. */
@Global()
@Module({})
export class ConfigModule {
  static with(config: Config, rules: EdgeRules): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: EdgeRules, useValue: rules },
        Clock,
        Pause,
        AppsOrigin,
        PublicAddress,
      ],
      exports: [Config, EdgeRules, Clock, Pause, AppsOrigin, PublicAddress],
    };
  }
}
