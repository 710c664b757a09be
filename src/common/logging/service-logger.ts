import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** Parts of the framework that describe at length how the application is put together. */
const FRAMEWORK = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** A server that cannot listen; whoever started the service is told in a sentence. */
const CANNOT_LISTEN = /^Error: listen E/;

/** The log of the service. What the framework says of itself is there for those who look closer. */
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
    // What keeps the service from starting is thrown, too; the caller reports it.
    const isReportedByCaller =
      parts.at(-1) === 'ExceptionHandler' ||
      (parts.at(-1) === 'NestApplication' && CANNOT_LISTEN.test(String(message)));
    if (!isReportedByCaller) {
      super.error(message, ...parts);
    }
  }
}
