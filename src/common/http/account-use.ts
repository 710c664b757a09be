import { Injectable } from '@nestjs/common';
import type { IdentifiedRequest } from './current-user.decorator.js';

export interface Use {
  readonly userId: string;
  readonly requests: number;
  readonly databaseMs: number;
  /** Received and sent. */
  readonly bytes: number;
}

/** Sums up the requests of each account in this process. Connections that stay open count when they end. */
@Injectable()
export class AccountUse {
  #uses = new Map<string, Use>();

  /** @param actor whose time on the database is known when the request has ended */
  count(request: IdentifiedRequest, actor: { readonly databaseMs: number }): void {
    const { account, socket, res } = request;
    const { bytesRead, bytesWritten } = socket;
    res?.once('close', () => {
      if (account !== undefined) {
        // A small body has been read with the head.
        const announced = request.complete ? Number(request.headers['content-length'] ?? 0) : 0;
        const received = Math.max(socket.bytesRead - bytesRead, announced);
        const { userId } = account;
        const { requests = 0, databaseMs = 0, bytes = 0 } = this.#uses.get(userId) ?? {};
        this.#uses.set(userId, {
          userId,
          requests: requests + 1,
          databaseMs: databaseMs + actor.databaseMs,
          bytes: bytes + received + socket.bytesWritten - bytesWritten,
        });
      }
    });
  }

  /** @returns what was summed up since the last call: `most` with the most time, and as many with the most bytes */
  take(most: number): readonly Use[] {
    const all = [...this.#uses.values()];
    this.#uses = new Map();
    const by = (field: 'databaseMs' | 'bytes') =>
      all.toSorted((a, b) => b[field] - a[field]).slice(0, most);
    return [...new Set([...by('databaseMs'), ...by('bytes')])];
  }
}
