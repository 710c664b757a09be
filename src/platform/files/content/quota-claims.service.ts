import { Injectable } from '@nestjs/common';

/** A claim on a user's quota, for content that is still arriving. */
export interface QuotaClaim {
  /** Call with the bytes received so far, in case more arrive than announced. @throws see `claim` */
  extendTo(bytes: number): void;
  release(): void;
}

/**
 * Reserves quota for uploads in progress. Without it parallel uploads would all see the same free
 * room. Per process: the quota is checked again under the user's lock when content is stored.
 */
@Injectable()
export class QuotaClaims {
  readonly #bytesOf = new Map<string, number>();

  /**
   * @param key the user and the kind of quota
   * @param roomBytes free quota, uploads in progress not counted
   * @param announcedBytes 0 when unknown
   * @throws the error of `full` when the announced bytes exceed the room
   */
  claim(key: string, roomBytes: number, announcedBytes: number, full: () => Error): QuotaClaim {
    let claimed = 0;
    const extendTo = (bytes: number) => {
      if (bytes <= claimed) {
        return;
      }
      const taken = (this.#bytesOf.get(key) ?? 0) + bytes - claimed;
      if (taken > roomBytes) {
        throw full();
      }
      this.#bytesOf.set(key, taken);
      claimed = bytes;
    };
    extendTo(announcedBytes);
    return { extendTo, release: () => this.#release(key, claimed) };
  }

  #release(key: string, bytes: number): void {
    const left = (this.#bytesOf.get(key) ?? 0) - bytes;
    if (left > 0) {
      this.#bytesOf.set(key, left);
      return;
    }
    this.#bytesOf.delete(key);
  }
}
