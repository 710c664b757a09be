import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** Framework loggers that list modules and routes at startup. */
const FRAMEWORK = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Listen error, which the caller reports. */
const CANNOT_LISTEN = /^Error: listen E/;

/** Logger of the service. Messages of the framework are logged at debug level. */
@Injectable()
export class ServiceLogger extends Logger {
  override log(message: unknown, ...parts: unknown[]): void {
    const context = parts.at(-1);
    if (typeof context === 'string' && FRAMEWORK.has(context)) {
      super.debug(message, ...parts);
      return;
    }
    super.log(message, ...parts);
  }

  override error(message: unknown, ...parts: unknown[]): void {
    // Errors at startup are also thrown; the caller reports them.
    const isReportedByCaller =
      parts.at(-1) === 'ExceptionHandler' ||
      (parts.at(-1) === 'NestApplication' && CANNOT_LISTEN.test(String(message)));
    if (!isReportedByCaller) {
      super.error(message, ...parts);
    }
  }
}
