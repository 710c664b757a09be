import type { FeedJson, ItemJson } from './news-client.js';

export const SOURCES = 4;

type State = 'none' | 'shown' | 'hidden' | 'left';

interface Entry {
  readonly source: number;
  readonly article: string;
  /** In its feed, out of sight, or in the feed of what was kept. */
  place: 'feed' | 'away' | 'kept';
  id: number | null;
  read: boolean;
  starred: boolean;
}

/** A feed of the person, as it was after the last synchronisation. */
interface Row {
  state: State;
  isOwn: boolean;
  /** Undefined if no group gives it. */
  isMandatory: boolean | undefined;
  /** The group in whose folder it is. */
  folder: number | null;
  feedId: number | null;
  readonly delivered: Set<string>;
}

interface Folder {
  readonly id: number | null;
  /** Mandatory or not, by source. */
  readonly feeds: ReadonlyMap<number, boolean>;
}

const NO_ROW = (): Row => ({
  state: 'none',
  isOwn: false,
  isMandatory: undefined,
  folder: null,
  feedId: null,
  delivered: new Set(),
});

/** What a person has of two groups with a folder each, and of feeds of their own. */
export class GroupModel {
  readonly memberships = [false, false];
  readonly #folders: (Folder | null)[] = [null, null];
  readonly #hiddenFolders = new Set<number>();
  /** As given with the last synchronisation; the name is the group's. */
  #shownFolders = new Map<number, number>();
  readonly #rows: Row[] = Array.from({ length: SOURCES }, NO_ROW);
  readonly #published: string[][] = Array.from({ length: SOURCES }, () => []);
  #entries: Entry[] = [];

  publish(source: number, article: string): void {
    this.#published[source]?.push(article);
  }

  setFolder(n: number, id: number | null, feeds: ReadonlyMap<number, boolean> | null): void {
    this.#folders[n] = id === null ? null : { id, feeds: feeds ?? new Map() };
  }

  settle(): void {
    this.#settleFolders();
    this.#rows.forEach((row, source) => this.#settleRow(row, source));
    for (const row of this.#rows) {
      if (row.state === 'shown' && !row.isOwn && row.folder !== null) {
        this.#hiddenFolders.delete(row.folder);
      }
    }
    this.#rows.forEach((row, source) => this.#deliver(row, source));
  }

  feedIdOf(source: number): number {
    return this.#rows[source]?.feedId ?? 0;
  }

  mark(id: number, flag: 'read' | 'starred', value: boolean): void {
    const entry = this.#entries.find((one) => one.id === id);
    if (entry !== undefined) {
      entry[flag] = value;
    }
  }

  remove(source: number): number {
    const row = this.#row(source);
    if (row.isMandatory === true) {
      return 403;
    }
    if (row.isMandatory === undefined) {
      this.#forget(source);
    } else {
      this.#hide(row, source);
    }
    return 200;
  }

  removeFolder(n: number): number {
    const inside = this.#rows.flatMap((row, source) =>
      row.folder === n && row.state === 'shown' && !row.isOwn ? [source] : [],
    );
    if (inside.some((source) => this.#row(source).isMandatory === true)) {
      return 403;
    }
    inside.forEach((source) => this.#hide(this.#row(source), source));
    this.#hiddenFolders.add(n);
    return 200;
  }

  show(source: number): number {
    const row = this.#row(source);
    if (row.state === 'hidden') {
      row.state = 'shown';
      this.#bring(source);
      if (row.folder !== null) {
        this.#hiddenFolders.delete(row.folder);
      }
    }
    return row.state === 'shown' ? 200 : 404;
  }

  moveOut(source: number): number {
    const row = this.#row(source);
    if (row.isMandatory === true) {
      return 403;
    }
    row.isOwn = true;
    return 200;
  }

  /** @returns false for a feed that is there */
  follow(source: number): boolean {
    if (this.#row(source).state === 'shown') {
      return false;
    }
    this.#forget(source);
    const row = this.#row(source);
    row.state = 'shown';
    row.isOwn = true;
    return true;
  }

  /** Ids are those that were seen first. */
  expected(
    feeds: readonly FeedJson[],
    items: readonly ItemJson[],
    isKept: (feedId: number) => boolean,
  ): object {
    const shown = this.#entries.filter(({ place }) => place !== 'away');
    for (const entry of shown) {
      const isOf = (item: ItemJson) =>
        item.title === entry.article && isKept(item.feedId) === (entry.place === 'kept');
      entry.id ??= items.find(isOf)?.id ?? null;
    }
    const rows = this.#rows.flatMap((row, source) => {
      const title = `source-${source}`;
      row.feedId ??= feeds.find((feed) => feed.title === title)?.id ?? null;
      const inFeed = shown.filter((one) => one.source === source && one.place === 'feed');
      const unread = inFeed.filter(({ read }) => !read).length;
      return row.state === 'shown' ? [[title, row.feedId, unread]] : [];
    });
    return {
      folders: [...this.#shownFolders.keys()]
        .filter((n) => !this.#hiddenFolders.has(n))
        .toSorted()
        .map((n) => `Folder ${n}`),
      feeds: rows,
      items: shown
        .map(({ article, place, id, read, starred }) => [
          article,
          place === 'kept',
          id,
          !read,
          starred,
        ])
        .toSorted(),
    };
  }

  /** A folder that was left, or made anew, is not hidden. */
  #settleFolders(): void {
    const given = new Map<number, number>();
    this.#folders.forEach((folder, n) => {
      if (folder?.id !== undefined && folder.id !== null && this.memberships[n] === true) {
        given.set(n, folder.id);
      }
    });
    for (const n of [0, 1]) {
      if (given.get(n) !== this.#shownFolders.get(n)) {
        this.#hiddenFolders.delete(n);
      }
    }
    this.#shownFolders = given;
  }

  #settleRow(row: Row, source: number): void {
    const givers = [...this.#shownFolders]
      .map(([n, id]) => ({ n, id, isMandatory: this.#folders[n]?.feeds.get(source) }))
      .filter(({ isMandatory }) => isMandatory !== undefined)
      .toSorted((a, b) => Number(b.isMandatory) - Number(a.isMandatory) || a.id - b.id);
    const [giver] = givers;
    const wasGiven = row.isMandatory !== undefined;
    row.isMandatory = giver?.isMandatory;
    if (giver === undefined) {
      if (wasGiven && !row.isOwn) {
        this.#leave(row, source);
      }
      return;
    }
    if (row.state === 'shown' && row.isOwn) {
      return;
    }
    row.folder = giver.n;
    if (row.state === 'hidden' && giver.isMandatory !== true) {
      return;
    }
    if (row.state !== 'shown' && row.state !== 'none') {
      this.#bring(source);
    }
    row.isOwn = false;
    row.state = 'shown';
  }

  #leave(row: Row, source: number): void {
    const wasShown = row.state === 'shown';
    row.state = 'left';
    for (const entry of this.#of(source, 'feed')) {
      const isThere = this.#of(source, 'kept').some(({ article }) => article === entry.article);
      entry.place = wasShown && entry.starred && !isThere ? 'kept' : 'away';
    }
  }

  #hide(row: Row, source: number): void {
    row.state = 'hidden';
    row.isOwn = false;
    this.#of(source, 'feed').forEach((entry) => (entry.place = 'away'));
  }

  #bring(source: number): void {
    this.#of(source, 'away').forEach((entry) => (entry.place = 'feed'));
    for (const entry of this.#of(source, 'kept')) {
      if (!this.#of(source, 'feed').some(({ article }) => article === entry.article)) {
        entry.place = 'feed';
      }
    }
  }

  #deliver(row: Row, source: number): void {
    if (row.state !== 'shown') {
      return;
    }
    for (const article of this.#published[source] ?? []) {
      if (!row.delivered.has(article)) {
        row.delivered.add(article);
        const fresh = { source, article, id: null, read: false, starred: false };
        this.#entries.push({ ...fresh, place: 'feed' });
      }
    }
  }

  #forget(source: number): void {
    this.#entries = this.#entries.filter((one) => one.source !== source || one.place === 'kept');
    this.#rows[source] = NO_ROW();
  }

  #of(source: number, place: Entry['place']): Entry[] {
    return this.#entries.filter((one) => one.source === source && one.place === place);
  }

  #row(source: number): Row {
    return this.#rows[source] ?? NO_ROW();
  }
}
