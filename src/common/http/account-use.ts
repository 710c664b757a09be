import { Injectable } from '@nestjs/common';
import type { IdentifiedRequest } from './current-user.decorator.js';

/** User id, requests, milliseconds on the database, and bytes received and sent. */
export type Use = readonly [userId: string, requests: number, databaseMs: number, bytes: number];

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
        const [id, requests, ms, bytes] = this.#uses.get(account.userId) ?? [
          account.userId,
          0,
          0,
          0,
        ];
        const sum = bytes + received + socket.bytesWritten - bytesWritten;
        this.#uses.set(id, [id, requests + 1, ms + actor.databaseMs, sum]);
      }
    });
  }

  /** @returns what was summed up since the last call: `most` with the most time, and as many with the most bytes */
  take(most: number): readonly Use[] {
    const all = [...this.#uses.values()];
    this.#uses = new Map();
    const by = (field: 2 | 3) => all.toSorted((a, b) => b[field] - a[field]).slice(0, most);
    return [...new Set([...by(2), ...by(3)])];
  }
}
