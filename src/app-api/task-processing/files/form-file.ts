import busboy from 'busboy';
import type { Request } from 'express';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TaskFileMissing } from '../task-processing.errors.js';
import type { ArrivingFile } from './task-files.service.js';

const LIMITS: busboy.Limits = { parts: 20, fields: 20, fieldSize: 64 * 1024, headerPairs: 50 };

/**
 * Reads a form (`multipart/form-data`) as it arrives, and passes on its file.
 *
 * @param field name of the file's part; other parts are ignored
 * @param take must read the bytes to their end, or reject
 * @returns what `take` returned
 * @throws TaskFileMissing if the body is no such form; what `take` threw
 */
export async function takeFormFile<Result>(
  request: Request,
  field: string,
  take: (file: ArrivingFile) => Promise<Result>,
): Promise<Result> {
  const parser = parserFor(request);
  let taken: Promise<Result> | undefined;
  parser.on('file', (name: string, bytes: Readable, { filename, mimeType }) => {
    if (name !== field || taken !== undefined) {
      bytes.on('error', () => {}).resume();
      return;
    }
    taken = take({ filename: filename ?? '', mime: mimeType, bytes: untilBroken(bytes) });
    // The rest of the form is not read.
    taken.catch((error: unknown) => parser.destroy(error as Error));
  });
  try {
    // Keeps the connection open for the response.
    await pipeline(request.iterator({ destroyOnReturn: false }), parser);
  } catch {
    await taken;
    throw malformed();
  }
  if (taken === undefined) {
    throw new TaskFileMissing(`Send the file in the part "${field}" of a form.`);
  }
  return taken;
}

function parserFor(request: Request): busboy.Busboy {
  if (request.is('multipart/form-data') === false) {
    throw malformed();
  }
  try {
    return busboy({ headers: request.headers, limits: LIMITS, defParamCharset: 'utf8' });
  } catch {
    throw malformed();
  }
}

async function* untilBroken(bytes: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch {
    throw malformed();
  }
}

function malformed(): TaskFileMissing {
  return new TaskFileMissing('The body is not a complete form (multipart/form-data).');
}
