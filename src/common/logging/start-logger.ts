import { PinoLogger } from 'nestjs-pino';
import type { Config } from '../config/config.js';
import { loggerOptions } from './logger-options.js';
import { ServiceLogger } from './service-logger.js';

/** Logger for the time before the service exists, in the same format. */
export function startLogger(config: Config): ServiceLogger {
  const options = loggerOptions(config);
  return new ServiceLogger(new PinoLogger(options), options);
}
