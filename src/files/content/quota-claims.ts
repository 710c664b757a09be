import { Injectable } from '@nestjs/common';

/** A claim on the room of one user, for content that is still arriving. */
export interface QuotaClaim {
  /** Claims more when the content has more bytes than were announced. @throws see `claim` */
  extendTo(bytes: number): void;
  release(): void;
}

/**
 * What arriving content of each user takes of the quota before it is stored. Without it all uploads
 * that begin at the same time see the same free room. Counted per process; the quota itself is
 * checked again under the user's lock when content is stored.
 */
@Injectable()
export class QuotaClaims {
  readonly #bytesOf = new Map<string, number>();

  /**
   * @param key the user, and which of their quotas
   * @param roomBytes what is left of the quota apart from arriving content
   * @param announcedBytes 0 when unknown
   * @throws what `full` returns when there is no room for the announced bytes
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
