import type { Request, Response } from 'express';

/** Smaller remainders are drained, so that the connection stays usable. */
const TAKEN_BYTES = 64 * 1024;

/** Time for the client to read the answer before the connection is closed. */
const LINGER_MS = 5000;

/**
 * Closes the connection after this answer when a large body, or one of unknown size, is still being
 * received. Call it before sending the answer.
 */
export function refuseRest(request: Request, response: Response): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (request.complete || (encoding === undefined && Number(length ?? 0) <= TAKEN_BYTES)) {
    return;
  }
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // A reset would discard the answer before the client has read it.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  };
}
