import { linkOf, PARTS, type Change, type Naming, type Version } from './publisher.js';
import { Random } from './random.js';

/** Changes made by a publisher, per round; each round ends with a fetch. */
export interface History {
  readonly seed: number;
  readonly naming: Naming;
  readonly rounds: readonly (readonly Change[])[];
}

const NAMINGS: readonly Naming[] = [
  'guids',
  'shared guids',
  'links',
  'shared links',
  'shared links',
  'nothing',
  'mixed',
];

/** A random history: entries appear, are edited, move, vanish and return. */
export function historyOf(seed: number, rounds: number): History {
  const random = new Random(seed);
  const naming = random.pick(NAMINGS) ?? 'guids';
  const habits = habitsOf(random);
  let entries = 0;
  let values = 1000;
  const add = (): Change => {
    entries += 1;
    return { do: 'add', version: newVersion(random, naming, habits, entries) };
  };
  const other = (): Change => {
    const nth = random.below(100);
    const what = random.next();
    if (what < 0.45) {
      return { do: 'edit', nth, part: random.pick(PARTS) ?? 'title', value: (values += 1) };
    }
    return { do: what < 0.7 ? 'drop' : what < 0.9 ? 'bring back' : 'move', nth };
  };
  return {
    seed,
    naming,
    rounds: Array.from({ length: rounds }, (_, round) => [
      ...Array.from({ length: round === 0 ? 1 + random.below(4) : random.below(3) }, add),
      // Occasionally an unchanged document is fetched again.
      ...Array.from({ length: random.chance(0.15) ? 0 : random.below(4) }, other),
      ...(habits.datesAnew ? [{ do: 'date anew', value: (values += 1) } as const] : []),
    ]),
  };
}

/** Properties shared by the entries of a publisher. */
interface Habits {
  /** A field that many entries share: every title is "Daily", or all have one date. */
  readonly shared: 'title' | 'date' | null;
  readonly datesAnew: boolean;
  readonly hasDates: number;
  readonly hasBodies: number;
  readonly hasTitles: number;
}

function habitsOf(random: Random): Habits {
  const share = random.next();
  return {
    shared: share < 0.25 ? 'title' : share < 0.4 ? 'date' : null,
    datesAnew: random.chance(0.1),
    hasDates: random.pick([0, 0.8, 1]) ?? 1,
    hasBodies: random.pick([0, 0.8, 1]) ?? 1,
    hasTitles: random.pick([0.8, 1]) ?? 1,
  };
}

function newVersion(random: Random, naming: Naming, habits: Habits, entry: number): Version {
  const title = random.chance(habits.hasTitles) ? `title ${entry}` : null;
  const date = random.chance(habits.hasDates) ? entry : null;
  const body = random.chance(habits.hasBodies) || title === null ? `body ${entry}` : null;
  const version: Version = {
    entry,
    guid: null,
    title: title !== null && habits.shared === 'title' && random.chance(0.8) ? 'Daily' : title,
    date: date !== null && habits.shared === 'date' && random.chance(0.8) ? 500 : date,
    body,
    link: null,
  };
  const own = { guid: `guid ${entry}`, link: linkOf(entry) };
  const shared = { guid: `shared ${random.below(2)}`, link: linkOf(9000 + random.below(2)) };
  switch (naming) {
    case 'guids':
      return { ...version, guid: own.guid, link: random.chance(0.8) ? own.link : null };
    case 'shared guids':
      return { ...version, guid: shared.guid, link: random.chance(0.8) ? own.link : shared.link };
    case 'links':
      return { ...version, link: own.link };
    case 'shared links':
      return { ...version, link: shared.link };
    case 'nothing':
      return version;
    case 'mixed':
      return {
        ...version,
        guid: random.pick([own.guid, shared.guid, null, null]) ?? null,
        link: random.pick([own.link, shared.link, null]) ?? null,
      };
  }
}

/** Removes changes one by one while the history still fails without them. */
export async function shrunken(
  history: History,
  fails: (history: History) => Promise<boolean>,
): Promise<History> {
  let smallest = history;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const [round, changes] of smallest.rounds.entries()) {
      for (const place of changes.keys()) {
        const without = smallest.rounds.with(round, changes.toSpliced(place, 1));
        const candidate = { ...smallest, rounds: without };
        if (!isSmaller && (await fails(candidate))) {
          smallest = candidate;
          isSmaller = true;
        }
      }
    }
  }
  return smallest;
}

/** The seed and the changes, one line per round. */
export function tell({ seed, naming, rounds }: History): string {
  return [
    `history ${seed}, entries named by ${naming}`,
    ...rounds.map((changes, round) => `  round ${round}: ${changes.map(line).join('; ')}`),
  ].join('\n');
}

function line(change: Change): string {
  const { do: what, ...how } = change;
  return `${what} ${JSON.stringify(how)}`;
}
