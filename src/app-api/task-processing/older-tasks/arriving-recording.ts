import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { Request } from 'express';
import type { ArrivingRecording } from './speech-to-text.service.js';

const RECORDINGS = ['audio/*', 'video/*', 'application/ogg', 'application/octet-stream'];

/**
 * The body of a request as a recording, to be streamed.
 *
 * @throws UnsupportedMediaTypeException for other types, such as forms
 */
export function arrivingRecording(request: Request, filename: string): ArrivingRecording {
  if (!request.is(RECORDINGS)) {
    throw new UnsupportedMediaTypeException(
      'Send the recording as the body, with a Content-Type such as audio/ogg.',
    );
  }
  return {
    filename,
    mime: (request.headers['content-type'] ?? '').split(';', 1)[0] ?? '',
    // Keeps the connection open for the response.
    chunks: request.iterator({ destroyOnReturn: false }),
  };
}
