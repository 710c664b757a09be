import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { readFields, type Fields } from '../../../common/http/read-fields.js';

const MIB = 1024 * 1024;

/** Ten thousand items in the longest form of an id have less than 1 MiB. */
const LARGEST_FORM_BYTES = 10 * MIB;

/** Injects the fields of a request, which are read now, after the guards. */
export const SentFields = createParamDecorator(
  async (_data: unknown, context: ExecutionContext): Promise<Fields> =>
    readFields(context.switchToHttp().getRequest<Request>(), LARGEST_FORM_BYTES),
);
