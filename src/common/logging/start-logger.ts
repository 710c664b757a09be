import { PinoLogger } from 'nestjs-pino';
import type { Config } from '../config/config.js';
import { loggerOptions } from './logger-options.js';
import { ServiceLogger } from './service-logger.js';

/** The log of the service before there is a service, so that every line has the same form. */
export function startLogger(config: Config): ServiceLogger {
  const options = loggerOptions(config);
  return new ServiceLogger(new PinoLogger(options), options);
}
