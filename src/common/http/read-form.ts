import { HttpException } from '@nestjs/common';
import busboy from 'busboy';
import type { Request } from 'express';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '../errors/domain-error.js';

interface FormReading {
  readonly limits: busboy.Limits;
  /** The error for what is no complete form. */
  readonly broken: () => Error;
  /** Adds listeners for files; an error with which they destroy the parser is thrown. */
  readonly listen: (parser: busboy.Busboy) => void;
}

/**
 * Parses a form (`multipart/form-data`) as it arrives.
 *
 * @throws errors of the service with which `pieces` or the parser end, and otherwise the error of `broken`
 */
export async function readForm(
  request: Request,
  pieces: AsyncIterable<Buffer>,
  { limits, broken, listen }: FormReading,
): Promise<void> {
  try {
    const parser = busboy({ headers: request.headers, limits, defParamCharset: 'utf8' });
    listen(parser);
    await pipeline(pieces, parser);
  } catch (error) {
    request.resume();
    throw error instanceof DomainError || error instanceof HttpException ? error : broken();
  }
}
