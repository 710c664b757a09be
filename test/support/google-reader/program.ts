import type { Credentials } from '../api-client.js';

/** An article as a program holds it. */
export interface Article {
  readonly item: number;
  readonly title: string;
  readonly link: string | null;
  readonly feedId: string;
  read: boolean;
  starred: boolean;
}

/** A feed as a program holds it. */
export interface ShelvedFeed {
  /** As the program got it, for instance `feed/7`. */
  readonly id: string;
  readonly title: string;
  readonly url: string;
  /** Name of its folder. */
  readonly folder: string | null;
}

/**
 * A client program: the requests that it sends, in its order and spelling, a decoder as strict as
 * its own, and what it stores of the answers.
 */
export abstract class Program {
  readonly articles = new Map<number, Article>();
  feeds: readonly ShelvedFeed[] = [];

  /** Whether it knows which articles are starred. */
  readonly seesStars: boolean = true;

  abstract logIn(credentials: Credentials): Promise<void>;
  /** The first time everything, then what is new. */
  abstract sync(): Promise<void>;
  abstract setRead(article: Article, read: boolean): Promise<void>;
  abstract setStarred(article: Article, starred: boolean): Promise<void>;

  /** Undefined in programs that cannot do it. */
  markFeedRead?(feed: ShelvedFeed): Promise<void>;
  subscribe?(url: string, folder: string): Promise<void>;
  renameFeed?(feed: ShelvedFeed, title: string): Promise<void>;
  moveFeed?(feed: ShelvedFeed, folder: string): Promise<void>;
  unsubscribe?(feed: ShelvedFeed): Promise<void>;
  createFolder?(name: string): Promise<void>;
  renameFolder?(name: string, newName: string): Promise<void>;
  removeFolder?(name: string): Promise<void>;
}

/** The parts of a list, of at most so many. */
export function chunks<Thing>(things: readonly Thing[], size: number): Thing[][] {
  const parts: Thing[][] = [];
  for (let from = 0; from < things.length; from += size) {
    parts.push(things.slice(from, from + size));
  }
  return parts;
}

/** Runs all, at most `width` at once. */
export async function inParallel<Thing>(
  things: readonly Thing[],
  width: number,
  work: (thing: Thing) => Promise<void>,
): Promise<void> {
  for (const together of chunks(things, width)) {
    await Promise.all(together.map(work));
  }
}
