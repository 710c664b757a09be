import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { Request } from 'express';
import type { ArrivingRecording } from './speech-to-text.service.js';

const RECORDINGS = ['audio/*', 'video/*', 'application/ogg', 'application/octet-stream'];

/**
 * A recording that is the body of a request, not read yet.
 *
 * @throws UnsupportedMediaTypeException for what is not sent as a recording, such as a form
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
    // Not destroyed when left early: the connection is still needed for the answer.
    chunks: request.iterator({ destroyOnReturn: false }),
  };
}
