import { Injectable } from '@nestjs/common';
import { AccessChanges } from '../../common/ports/access-changes.js';

/** Beyond these the oldest one ends: it is likely to have no one at the other end any more. */
const PLACES_PER_USER = 30;

/** A request that waits. */
export interface Place {
  /** Aborts when the user may wait no longer: somebody newer needs the place, or access changed. */
  readonly signal: AbortSignal;
  leave(): void;
}

/** Keeps requests that wait for news within bounds, and to those whose credentials still count. */
@Injectable()
export class WaitingRoom {
  readonly #places = new Map<string, Set<AbortController>>();

  constructor(private readonly accessChanges: AccessChanges) {}

  async enter(userId: string): Promise<Place> {
    const watch = await this.accessChanges.watch(userId);
    const ousted = new AbortController();
    const ofUser = this.#places.get(userId) ?? new Set();
    this.#places.set(userId, ofUser.add(ousted));
    const [oldest] = ofUser;
    if (ofUser.size > PLACES_PER_USER && oldest !== undefined) {
      ofUser.delete(oldest);
      oldest.abort();
    }
    const leave = () => {
      watch.close();
      ofUser.delete(ousted);
      if (ofUser.size === 0 && this.#places.get(userId) === ofUser) {
        this.#places.delete(userId);
      }
    };
    return { signal: AbortSignal.any([watch.signal, ousted.signal]), leave };
  }
}
