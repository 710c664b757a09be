import type { Request, Response } from 'express';

/** So much is taken and thrown away, so that the connection can serve the next request. */
const TAKEN_BYTES = 64 * 1024;

/** How long a sender has to read the answer before the connection is cut. */
const LINGER_MS = 5000;

/**
 * Has the connection end with this answer when a large body, or one of unknown size, is still on its
 * way: nobody wants the rest. Before the answer is sent.
 */
export function refuseRest(request: Request, response: Response): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (request.complete || (encoding === undefined && Number(length ?? 0) <= TAKEN_BYTES)) {
    return;
  }
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // Cut at once, the answer would be lost with what the sender is still sending.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  };
}
