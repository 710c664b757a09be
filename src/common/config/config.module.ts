import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '../clock.js';
import { PublicAddress } from '../http/public-address.js';
import { Pause } from '../pause.js';
import { Config } from './config.js';

/** Makes the one configuration object, the clock and the timer injectable everywhere. */
@Global()
@Module({})
export class ConfigModule {
  static with(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Config, useValue: config }, Clock, Pause, PublicAddress],
      exports: [Config, Clock, Pause, PublicAddress],
    };
  }
}
