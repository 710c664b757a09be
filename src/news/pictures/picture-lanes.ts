import { TooManyPictures } from './pictures.errors.js';

interface Waiting {
  readonly userId: string;
  readonly start: () => void;
}

const RETRY_AFTER_SECONDS = 10;

/** Runs downloads, a few at a time, and fewer of one user, so that slow ones do not stop everybody. */
export class PictureLanes {
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #total = 0;

  constructor(
    private readonly most: {
      readonly atOnce: number;
      readonly atOnceOfUser: number;
      readonly waiting: number;
    },
  ) {}

  /** @throws TooManyPictures when too many wait */
  async run<T>(userId: string, download: () => Promise<T>): Promise<T> {
    if (!this.#hasRoom(userId)) {
      if (this.#waiting.length >= this.most.waiting) {
        throw new TooManyPictures(RETRY_AFTER_SECONDS);
      }
      await new Promise<void>((start) => {
        this.#waiting.push({ userId, start });
      });
    } else {
      this.#begin(userId);
    }
    try {
      return await download();
    } finally {
      this.#end(userId);
    }
  }

  #hasRoom(userId: string): boolean {
    const ofUser = this.#running.get(userId) ?? 0;
    return this.#total < this.most.atOnce && ofUser < this.most.atOnceOfUser;
  }

  #begin(userId: string): void {
    this.#total += 1;
    this.#running.set(userId, (this.#running.get(userId) ?? 0) + 1);
  }

  #end(userId: string): void {
    this.#total -= 1;
    const left = (this.#running.get(userId) ?? 1) - 1;
    if (left > 0) {
      this.#running.set(userId, left);
    } else {
      this.#running.delete(userId);
    }
    const next = this.#waiting.findIndex((waiting) => this.#hasRoom(waiting.userId));
    const [started] = next === -1 ? [] : this.#waiting.splice(next, 1);
    if (started !== undefined) {
      this.#begin(started.userId);
      started.start();
    }
  }
}
