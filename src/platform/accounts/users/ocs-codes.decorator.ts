import { Catch, UseFilters, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OcsFailure } from '../../../common/ocs/envelope.js';
import { answerOcsError } from '../../../common/ocs/ocs-error.filter.js';

/** An error, and the code that the protocol prescribes for it at a route. */
export type OcsCode = readonly [error: abstract new (...args: never[]) => Error, code: number];

/** Error codes of a route; unlisted errors keep their defaults. */
export function OcsCodes(...codes: readonly OcsCode[]): MethodDecorator {
  return UseFilters(new OcsCodesFilter(codes));
}

@Catch()
class OcsCodesFilter implements ExceptionFilter {
  constructor(private readonly codes: readonly OcsCode[]) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const listed = this.codes.find(([kind]) => error instanceof kind);
    const told =
      listed !== undefined && error instanceof Error
        ? new OcsFailure(listed[1], error.message)
        : error;
    answerOcsError(told, http.getRequest<Request>(), http.getResponse<Response>());
  }
}
