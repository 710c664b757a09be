/**
 * Do the tests bite? `npm run mutate` makes one change at a time in the core of the committed state, and
 * looks whether it is noticed: by the specs of its subject, or by any other (docs/decisions/0075).
 * Options: `--seed 7`, `--count 150`, `--area files`, `--list`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../test/support/histories/random.js';
import { changesOf, nameOf, type Change } from './changes.js';
import { AREAS } from './mutate-areas.js';

const LANES = 2;
/** A changed loop may never end. */
const TEST_MS = 20_000;
const NEAR_MS = 240_000;
const FAR_MS = 1_500_000;
const NOTICED = 0.95;
const NOTICED_NEAR = 0.85;
/** Names of changes that change nothing that anybody can see, each followed by `  # ` and the reason. */
const EQUIVALENT = 'tools/equivalent-changes.txt';

type Fate = 'near' | 'far' | 'survived' | 'equivalent';
type Mutant = Change & { readonly specs: readonly string[] };

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '150' },
    area: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
  },
});
const lines = readFileSync(EQUIVALENT, 'utf8').split('\n');
const equivalent = new Set(lines.map((line) => line.split('  # ')[0]));
const say = (line: string) => process.stdout.write(`${line}\n`);

const chosen = choose(Number(options.seed), Number(options.count));
if (options.list) {
  chosen.forEach((one) => say(`${one.line} ${nameOf(one)}`));
} else {
  process.exitCode = report(await tryAll(chosen)) ? 0 : 1;
}

function choose(seed: number, count: number): Mutant[] {
  const random = new Random(seed);
  const all = Object.entries(AREAS)
    .filter(([name]) => name.startsWith(options.area))
    .flatMap(([, { sources, specs }]) =>
      globSync(sources)
        .filter((file) => !/\.(spec|entity)\.ts$/.test(file))
        .toSorted()
        .flatMap((file) => changesOf(file).map((change) => ({ ...change, specs }))),
    );
  const some: Mutant[] = [];
  while (some.length < count && all.length > 0) {
    const [candidate] = all.splice(random.below(all.length), 1);
    if (candidate !== undefined && random.below(3) < candidate.weight) {
      some.push(candidate);
    }
  }
  return some;
}

async function tryAll(mutants: readonly Mutant[]): Promise<Map<Mutant, Fate>> {
  const fates = new Map<Mutant, Fate>();
  const waiting = [...mutants];
  const lane = async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'gatefold-mutants-'));
    execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder]);
    symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const began = Date.now();
      const fate = equivalent.has(nameOf(next)) ? 'equivalent' : await fateOf(next, folder);
      fates.set(next, fate);
      const seconds = Math.round((Date.now() - began) / 1000);
      say(`${fates.size}/${mutants.length} ${fate} (${seconds} s) ${nameOf(next)}`);
    }
    execFileSync('git', ['worktree', 'remove', '--force', folder]);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return fates;
}

async function fateOf({ file, start, before, after, specs }: Mutant, cwd: string): Promise<Fate> {
  const place = path.join(cwd, file);
  const text = readFileSync(place, 'utf8');
  writeFileSync(place, text.slice(0, start) + after + text.slice(start + before.length));
  try {
    const near = globSync([`${path.dirname(file)}/*.spec.ts`, ...specs], { cwd });
    if (!(await pass(cwd, near, NEAR_MS))) {
      return 'near';
    }
    const others = globSync('{src,test}/**/*.spec.ts', { cwd, exclude: ['test/citus/**'] });
    const far = others.filter((spec) => !near.includes(spec));
    return (await pass(cwd, far, FAR_MS)) ? 'survived' : 'far';
  } finally {
    writeFileSync(place, text);
  }
}

/** Whether these specs pass, in this time. */
async function pass(cwd: string, specs: readonly string[], limitMs: number): Promise<boolean> {
  const jest = ['node_modules/jest/bin/jest.js', '--bail', '-i', `--testTimeout=${TEST_MS}`];
  const words = ['--no-warnings', ...jest, '--runTestsByPath', ...specs];
  const run = spawn(process.execPath, words, { cwd, stdio: 'ignore', detached: true });
  const timer = setTimeout(() => process.kill(-(run.pid ?? 0), 'SIGKILL'), limitMs);
  const [code] = (await once(run, 'close')) as [number | null];
  clearTimeout(timer);
  return code === 0;
}

/** @returns whether enough changes were noticed */
function report(fates: ReadonlyMap<Mutant, Fate>): boolean {
  const of = (fate: Fate) => [...fates].filter(([, one]) => one === fate).map(([one]) => one);
  const list = (all: readonly Mutant[]) =>
    all.map((one) => `\n  ${one.line} ${nameOf(one)}`).join('');
  const effective = fates.size - of('equivalent').length;
  const near = of('near').length / effective;
  const noticed = near + of('far').length / effective;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  say(`\nNoticed only by specs of other subjects:${list(of('far'))}`);
  say(`\nNoticed by no test:${list(of('survived'))}`);
  say(
    `\n${fates.size} changes, ${of('equivalent').length} equivalent. Of the others ${percent(noticed)} were ` +
      `noticed, ${percent(near)} by the specs of their subject.`,
  );
  return noticed >= NOTICED && near >= NOTICED_NEAR;
}
