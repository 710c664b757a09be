/**
 * Do the tests bite? `npm run mutate` makes one change at a time in the core of the committed state, and
 * runs the specs of its subject. If they notice too few, it runs all others on the rest (decision 0075).
 * Without options it tries the standing sample; `--seed 7`, `--count 150` and `--area files` draw another,
 * `--list` only names the changes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { drawnSample, keepStandingSample, standingSample, type Mutant } from './sample.js';

/** More than the cores of a small machine, since specs wait for the database more than they compute. */
const LANES = 3;
/** A changed loop may never end. */
const TEST_MS = 20_000;
const ORDER = '--testSequencer=<rootDir>/tools/mutate/nearest-first.cjs';
const JEST = ['node_modules/jest/bin/jest.js', '--bail', `--testTimeout=${TEST_MS}`, ORDER];
const VITEST = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config=web/vitest.config.ts',
  '--bail=1',
];
const NEAR = { limitMs: 240_000, workers: 1 };
const ALL = { limitMs: 1_500_000, workers: 2 };
/** Without the one that knows the hash of each function. */
const EVERY_SPEC = ['src/**/*.spec.ts', 'test/{*,!(citus)/**/!(functions)}.spec.ts'];
/** A line of jest or vitest; jest also names the project. */
const FAILED = /^\s*FAIL\s+(?:\w+ )?(\S+\.spec\.ts)/gm;
const NOTICED = 0.95;
const NOTICED_NEAR = 0.85;
/** Names of changes without observable effect, each followed by `  # ` and the reason. */
const EQUIVALENT = 'tools/mutate/equivalent-changes.txt';

type Fate = 'near' | 'far' | 'survived' | 'equivalent';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string' },
    area: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const listed = readFileSync(EQUIVALENT, 'utf8').split('\n');
const equivalent = new Set(listed.map((line) => line.split('  # ')[0]?.trim()));
const proved = new Set<string>(); // Specs that failed with a change, and pass without one.
const say = (line: string) => process.stdout.write(`${line}\n`);

const isStanding = (options.seed ?? options.count ?? options.area) === undefined;
const chosen = isStanding
  ? standingSample()
  : drawnSample(Number(options.seed ?? 1), Number(options.count ?? 150), options.area);
if (options.list) {
  chosen.forEach((one) => say(`${one.line} ${one.name}`));
} else {
  const noticedBy = new Map<Mutant, string | null>(chosen.map((one) => [one, null]));
  process.exitCode = report(await tryAll(chosen, noticedBy)) ? 0 : 1;
  if (isStanding) {
    keepStandingSample(noticedBy);
  }
}

/** @param noticedBy gets the spec that noticed each change */
async function tryAll(
  mutants: readonly Mutant[],
  noticedBy: Map<Mutant, string | null>,
): Promise<Map<Mutant, Fate>> {
  const fates = new Map<Mutant, Fate>();
  const waiting = [...mutants];
  const tell = (one: Mutant, fate: Fate, spec: string | null = null) => {
    fates.set(one, fate);
    noticedBy.set(one, spec);
    const by = spec === null ? '' : ` (${spec})`;
    say(`${fates.size}/${mutants.length} ${fate}: ${one.line} ${one.name}${by}`);
  };
  const lane = async (cwd: string) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const spec = equivalent.has(next.name) ? null : await nearNoticing(cwd, next);
      if (equivalent.has(next.name)) {
        tell(next, 'equivalent');
      } else if (spec !== null) {
        tell(next, 'near', spec);
      } else if (isOfPages(next.file)) {
        tell(next, 'survived'); // Other specs use nothing of them.
      } else {
        say(`not near: ${next.line} ${next.name}`);
      }
    }
  };
  /** Together, since most of these are noticed by no test; halves when one of them is. */
  const judge = async (cwd: string, some: readonly Mutant[]): Promise<void> => {
    const spec =
      some.length === 0 ? null : await noticing(cwd, some, globSync(EVERY_SPEC, { cwd }), ALL);
    if (spec === null) {
      some.forEach((one) => tell(one, 'survived'));
    } else if (some[0] !== undefined && some.length === 1) {
      tell(some[0], 'far');
    } else {
      await judge(cwd, some.slice(0, some.length / 2));
      await judge(cwd, some.slice(some.length / 2));
    }
  };
  await inFolders(LANES, lane);
  const unnoticed = mutants.filter((one) => !fates.has(one));
  const near = mutants.filter((one) => fates.get(one) === 'near').length;
  // Enough are noticed already: the share that is reported is the least.
  if (near >= NOTICED * (near + unnoticed.length)) {
    unnoticed.forEach((one) => tell(one, 'survived'));
  } else {
    await inFolders(1, (cwd) => judge(cwd, unnoticed));
  }
  return fates;
}

/** Each folder has the committed state. */
async function inFolders(count: number, work: (cwd: string) => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      const cwd = mkdtempSync(path.join(os.tmpdir(), 'gatefold-mutants-'));
      execFileSync('git', ['worktree', 'add', '--quiet', '--detach', cwd]);
      symlinkSync(path.resolve('node_modules'), path.join(cwd, 'node_modules'));
      await work(cwd).finally(() => execFileSync('git', ['worktree', 'remove', '--force', cwd]));
    }),
  );
}

function isOfPages(file: string): boolean {
  return file.startsWith('web/src/');
}

/** @returns the spec of its subject that noticed it, or null */
async function nearNoticing(cwd: string, mutant: Mutant): Promise<string | null> {
  const { file, specs, noticedBy } = mutant;
  const near = [...globSync(`${path.dirname(file)}/*.spec.ts`, { cwd }), ...specs];
  const first = near.filter((spec) => spec === noticedBy);
  const rest = near.filter((spec) => spec !== noticedBy);
  const spec = first.length > 0 ? await noticing(cwd, [mutant], first, NEAR) : null;
  return spec ?? noticing(cwd, [mutant], rest, NEAR);
}

/** @returns a spec that fails with these changes, or null @throws Error if it fails without them, too */
async function noticing(
  cwd: string,
  mutants: readonly Mutant[],
  specs: readonly string[],
  effort: typeof NEAR,
): Promise<string | null> {
  const before = new Map(
    mutants.map(({ file }) => [file, readFileSync(path.join(cwd, file), 'utf8')]),
  );
  for (const one of mutants.toSorted((a, b) => b.start - a.start)) {
    const text = readFileSync(path.join(cwd, one.file), 'utf8');
    const end = one.start + one.before.length;
    writeFileSync(path.join(cwd, one.file), text.slice(0, one.start) + one.after + text.slice(end));
  }
  const failed = await failing(cwd, specs, effort, [...before.keys()]);
  before.forEach((text, file) => writeFileSync(path.join(cwd, file), text));
  const unproved = failed.filter((spec) => !proved.has(spec));
  if (unproved.length > 0 && (await failing(cwd, unproved, effort)).length > 0) {
    throw new Error(`These fail without a change: ${unproved.join(' ')}`);
  }
  unproved.forEach((spec) => proved.add(spec));
  return failed[0] ?? null;
}

/**
 * Runs specs until one fails.
 *
 * @param changed files whose nearest specs are run first
 * @returns those that failed; all, if they did not end in this time or the run broke off
 */
async function failing(
  cwd: string,
  specs: readonly string[],
  { limitMs, workers }: typeof NEAR,
  changed: readonly string[] = [],
): Promise<readonly string[]> {
  const runner = specs.every(isOfPages)
    ? VITEST
    : [...JEST, `--maxWorkers=${workers}`, '--runTestsByPath'];
  const words = ['--no-warnings', ...runner, ...specs];
  const env = {
    ...process.env,
    // Changed functions make another schema, and a kept cluster of another lane would be deleted.
    TEST_CLUSTERS: path.join(cwd, 'clusters/'),
    MUTATED: changed.join(' '),
    NO_COLOR: '1',
  };
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const run = spawn(process.execPath, words, { cwd, env, stdio: [...stdio], detached: true });
  let report = '';
  run.stderr?.setEncoding('utf8').on('data', (text: string) => (report += text));
  const kill = () => process.kill(-(run.pid ?? 0), 'SIGKILL');
  const timer = setTimeout(kill, limitMs);
  const [code] = (await once(run, 'close')) as [number | null];
  clearTimeout(timer);
  try {
    kill(); // With `--bail`, jest leaves workers behind that go on serving.
  } catch {
    // None is left.
  }
  if (code === 0) {
    return [];
  }
  // With `--bail`, jest writes no report to a file.
  const failed = Array.from(report.matchAll(FAILED), ([, spec = '']) => spec);
  return failed.length > 0 ? [...new Set(failed)] : specs;
}

/** @returns whether enough changes were noticed */
function report(fates: ReadonlyMap<Mutant, Fate>): boolean {
  const count = (fate: Fate) => [...fates.values()].filter((one) => one === fate).length;
  const effective = fates.size - count('equivalent');
  const near = count('near') / effective;
  const noticed = near + count('far') / effective;
  const isOnlyPages = [...fates.keys()].every(({ file }) => isOfPages(file));
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  say(
    `${fates.size} changes, ${count('equivalent')} equivalent. Of the others ${percent(noticed)} were ` +
      `noticed, ${percent(near)} by the specs of their subject.`,
  );
  return (isOnlyPages || noticed >= NOTICED) && near >= NOTICED_NEAR;
}
