import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Config } from './config.js';

/** Makes the one configuration object and the clock injectable everywhere. */
@Global()
@Module({})
export class ConfigModule {
  static with(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: Config, useValue: config }, Clock],
      exports: [Config, Clock],
    };
  }
}
