import { readFileSync, writeFileSync } from 'node:fs';
import { Random } from '../../test/support/histories/random.js';
import { changesOf, type Change } from './changes.js';
import { AREAS, filesOf } from './mutate-areas.js';

/** A change with the specs where a developer would look for its test. */
export interface Mutant extends Change {
  readonly specs: readonly string[];
  /** The spec that noticed it the last time, which is tried first. */
  readonly noticedBy?: string | undefined;
}

/** Names of changes, each followed by `  # ` and the spec that noticed it. */
const STANDING = 'tools/mutate/standing-sample.txt';
const SIZE = 150;

/** At random. @param area beginning of the names of areas; empty: all */
export function drawnSample(seed: number, count = SIZE, area = ''): Mutant[] {
  return draw(new Random(seed), count, everyChange(area));
}

/**
 * The same changes as the last time, so that runs can be compared: what their places still have of them, and
 * others in the place of those that are gone.
 */
export function standingSample(): Mutant[] {
  const all = everyChange('');
  const byName = new Map(all.map((one) => [one.name, one]));
  const kept = new Map(
    readFileSync(STANDING, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [name = '', noticedBy] = line.split('  # ');
        const one = byName.get(name);
        return one === undefined ? [] : [[name, { ...one, noticedBy }] as const];
      }),
  );
  const others = all.filter(({ name }) => !kept.has(name));
  return [...kept.values(), ...draw(new Random(1), SIZE - kept.size, others)];
}

/** @param noticedBy by change; null: none that should be tried first */
export function keepStandingSample(noticedBy: ReadonlyMap<Mutant, string | null>): void {
  const lines = Array.from(noticedBy, ([{ name }, spec]) => (spec ? `${name}  # ${spec}` : name));
  writeFileSync(STANDING, `${lines.toSorted().join('\n')}\n`);
}

function everyChange(area: string): Mutant[] {
  return Object.entries(AREAS)
    .filter(([name]) => name.startsWith(area))
    .map(([, one]) => filesOf(one))
    .flatMap(({ sources, specs }) =>
      sources
        .filter((file) => !/\.(spec|entity)\.ts$/.test(file))
        .flatMap((file) => changesOf(file).map((change) => ({ ...change, specs }))),
    );
}

function draw(random: Random, count: number, from: readonly Mutant[]): Mutant[] {
  const left = [...from];
  const some: Mutant[] = [];
  while (some.length < count && left.length > 0) {
    const [candidate] = left.splice(random.below(left.length), 1);
    if (candidate !== undefined && random.below(3) < candidate.weight) {
      some.push(candidate);
    }
  }
  return some;
}
