import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Pace {
  readonly everySeconds: number;
  /** In both directions, for each connection that has something to move. */
  readonly leastBytes: number;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Undefined before the first look. */
  movedBytes?: number;
}

/**
 * Closes connections on which a body or an answer arrives so slowly that it need never end. A stream that has
 * nothing to send and an answer that is still being made do not count as slow.
 */
export function endSlowTransfers(server: Server, { everySeconds, leastBytes }: Pace): void {
  const latest = new Map<Socket, Exchange>();
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => latest.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, { request, response });
  });
  const look = (): void => {
    for (const [socket, exchange] of latest) {
      const { request, response, movedBytes } = exchange;
      const moved = socket.bytesRead + socket.bytesWritten - socket.writableLength;
      const isMoving = !request.complete || response.writableLength > 0;
      if (isMoving && movedBytes !== undefined && moved - movedBytes < leastBytes) {
        socket.destroy();
      }
      exchange.movedBytes = moved;
    }
  };
  const timer = setInterval(look, everySeconds * 1000);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}
