/** Fields by which an entry may be recognised. */
export const PARTS = ['title', 'date', 'body', 'link'] as const;
export type Part = (typeof PARTS)[number];

/** How the entries of a publisher are identified. */
export type Naming =
  | 'guids'
  | 'shared guids'
  | 'links'
  | 'shared links'
  | 'nothing'
  /** Entries with guids and with links side by side, some shared. */
  | 'mixed';

/** An entry at one time; null for absent fields. */
export interface Version {
  /** The true identity of the entry, regardless of its fields. */
  readonly entry: number;
  readonly guid: string | null;
  readonly title: string | null;
  /** Day of the month, not shared by chance. */
  readonly date: number | null;
  readonly body: string | null;
  readonly link: string | null;
}

/** A change that a publisher may make between two fetches. */
export type Change =
  | { readonly do: 'add'; readonly version: Version }
  /** `value` is new and unique; `nth` selects among the listed entries, modulo their number. */
  | { readonly do: 'edit'; readonly nth: number; readonly part: Part; readonly value: number }
  | { readonly do: 'drop' | 'move'; readonly nth: number }
  /** `nth` selects among entries that were listed earlier and are not now. */
  | { readonly do: 'bring back'; readonly nth: number }
  /** All entries with a date get the same one. */
  | { readonly do: 'date anew'; readonly value: number };

/**
 * A publisher that knows the identity of each entry. Changes that make it undecidable, such as an
 * edit of the only unique field, are not made: `isDecidable`.
 */
export class Publisher {
  /** The document, newest first. */
  #listed: Version[] = [];
  /** Each entry as of the last fetch that listed it. */
  readonly #fetched = new Map<number, Version>();
  #listedAtFetch = new Set<number>();
  /** Changes that were made, and those that were not. */
  made = 0;
  refused = 0;

  get listed(): readonly Version[] {
    return this.#listed;
  }

  get fetched(): ReadonlyMap<number, Version> {
    return this.#fetched;
  }

  /** Whether the last fetch listed the entry. */
  wasListed(entry: number): boolean {
    return this.#listedAtFetch.has(entry);
  }

  change(change: Change): void {
    const listed = this.#after(change);
    if (listed !== null && isDecidable(listed, this.#fetched, this.#listedAtFetch)) {
      this.#listed = listed;
      this.made += 1;
    } else {
      this.refused += 1;
    }
  }

  /** The document was fetched in its current state. */
  noteFetch(): void {
    this.#listed.forEach((version) => this.#fetched.set(version.entry, version));
    this.#listedAtFetch = new Set(this.#listed.map(({ entry }) => entry));
  }

  #after(change: Change): Version[] | null {
    if (change.do === 'add') {
      return [change.version, ...this.#listed];
    }
    if (change.do === 'date anew') {
      return this.#listed.map((version) => edited(version, 'date', change.value));
    }
    const isListed = new Set(this.#listed.map(({ entry }) => entry));
    const gone = [...this.#fetched.values()].filter(({ entry }) => !isListed.has(entry));
    const choice = change.do === 'bring back' ? gone : this.#listed;
    const place = change.nth % Math.max(choice.length, 1);
    const version = choice[place];
    if (version === undefined) {
      return null;
    }
    switch (change.do) {
      case 'bring back':
        return [...this.#listed, version];
      case 'drop':
        return this.#listed.toSpliced(place, 1);
      case 'move':
        return [version, ...this.#listed.toSpliced(place, 1)];
      case 'edit':
        // An entry without a guid is identified by its link.
        return change.part === 'link' && version.guid === null
          ? null
          : this.#listed.with(place, edited(version, change.part, change.value));
    }
  }
}

function edited(version: Version, part: Part, value: number): Version {
  if (version[part] === null) {
    return version;
  }
  const written = part === 'date' ? value : `${part} ${value}`;
  return { ...version, [part]: part === 'link' ? linkOf(value) : written };
}

export function linkOf(value: number): string {
  return `https://publisher.example/${value}`;
}

function keyOf({ guid, link }: Version): string {
  return guid ?? link ?? '';
}

/**
 * Whether the rules of the decision record identify each entry of this document correctly. Written
 * from the record, independently of the program: it knows the truth and looks for reasons to
 * confuse two entries.
 */
function isDecidable(
  listed: readonly Version[],
  fetched: ReadonlyMap<number, Version>,
  listedBefore: ReadonlySet<number>,
): boolean {
  const known = Map.groupBy(fetched.values(), keyOf);
  return [...Map.groupBy(listed, keyOf)].every(([key, versions]) =>
    isDecidableGroup(versions, known.get(key) ?? [], listedBefore),
  );
}

function isDecidableGroup(
  listed: readonly Version[],
  known: readonly Version[],
  listedBefore: ReadonlySet<number>,
): boolean {
  const hasGuid = listed.some(({ guid }) => guid !== null);
  const isKeyless = listed.some(({ guid, link }) => guid === null && link === null);
  const parts: readonly Part[] = hasGuid ? PARTS : ['title', 'date', 'body'];
  if (isRepetition(listed, hasGuid)) {
    return false;
  }
  const [only] = listed;
  const [one] = known;
  if (only && one && listed.length === 1 && known.length === 1 && !isKeyless) {
    const equal = (['title', 'date', 'body'] as const).map((part) => only[part] === one[part]);
    const isTaken =
      hasGuid ||
      equal.every(Boolean) ||
      (['title', 'date', 'body'] as const).some((part, n) => equal[n] && only[part] !== null);
    return isTaken === (only.entry === one.entry);
  }
  return listed.every((version) => {
    const taken = takenFor(version, listed, known, parts, hasGuid, listedBefore);
    const self = known.find(({ entry }) => entry === version.entry);
    if (self && agree(self, version, parts)) {
      return known.every((other) => other === self || !agree(other, version, parts));
    }
    return self === undefined ? taken.size === 0 : taken.size === 1 && taken.has(version.entry);
  });
}

/** Entries that a version may be confused with, its own included. */
function takenFor(
  version: Version,
  listed: readonly Version[],
  known: readonly Version[],
  parts: readonly Part[],
  hasGuid: boolean,
  listedBefore: ReadonlySet<number>,
): Set<number> {
  const choices = [
    ...parts.map((left) => ({ kept: parts.filter((part) => part !== left), enough: 2 })),
    ...(hasGuid ? [{ kept: ['link'] as const, enough: 1 }] : []),
    { kept: parts, enough: 0 },
  ];
  return new Set(
    choices.flatMap(({ kept, enough }) => {
      const present = kept.filter((part) => version[part] !== null).length;
      const alike = known.filter((other) => agree(other, version, kept));
      const last = alike.filter(({ entry }) => listedBefore.has(entry));
      const candidates = alike.length > 1 && present >= enough ? last : alike;
      const isClear =
        candidates.length === 1 &&
        present > 0 &&
        listed.every((other) => other === version || !agree(other, version, kept));
      return isClear ? candidates.map(({ entry }) => entry) : [];
    }),
  );
}

/** Of an entry that is listed twice only one is read. */
function isRepetition(listed: readonly Version[], hasGuid: boolean): boolean {
  const parts: readonly Part[] = ['title', 'date', 'body'];
  return listed.some((version, place) =>
    listed.slice(place + 1).some((other) => {
      const differing = parts.filter((part) => version[part] !== other[part]).length;
      return version.link === other.link && differing <= (hasGuid ? 1 : 0);
    }),
  );
}

function agree(one: Version, other: Version, parts: readonly Part[]): boolean {
  return parts.every((part) => one[part] === other[part]);
}
