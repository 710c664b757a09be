import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { specsByStatement, STATED, statementsOf, withoutIds } from './statements.js';

/*
 * `npm run conformance`: runs the tests whose titles name a statement, and writes docs/conformance.md:
 * each statement, its tests, and their result. `test/documentation.spec.ts` compares it with the
 * statements and the tests.
 */

interface JestResult {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly fullName: string;
      readonly status: string;
    }[];
  }[];
}

interface Proof {
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

const TITLES: Readonly<Record<string, string>> = {
  news: 'The feed reader API',
  gateway: 'The gateway for external apps',
};

const specs = [...new Set([...specsByStatement().values()].flat())];
const proofs = proofsOf(run(specs));
writeFileSync('docs/conformance.md', documentOf(proofs));
const unproved = [...proofs.values()].flat().filter(({ status }) => status !== 'passed');
process.stdout.write(
  `docs/conformance.md: ${proofs.size} statements, ${unproved.length} tests did not pass.\n`,
);
process.exitCode = unproved.length === 0 ? 0 : 1;

function run(files: readonly string[]): JestResult {
  const output = path.join(tmpdir(), `conformance-${process.pid}.json`);
  const jest = ['--no-warnings', 'node_modules/jest/bin/jest.js'];
  const options = [
    '--json',
    `--outputFile=${output}`,
    '--testNamePattern',
    String.raw`\[[NG]\d+\]`,
  ];
  const { error } = spawnSync(process.execPath, [...jest, ...options, ...files], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (error !== undefined) {
    throw error;
  }
  const result = JSON.parse(readFileSync(output, 'utf8')) as JestResult;
  rmSync(output);
  return result;
}

/** By statement. */
function proofsOf({ testResults }: JestResult): Map<string, Proof[]> {
  const found = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ title, fullName, status }) =>
      [...fullName.matchAll(/\[([NG]\d+)\]/g)].map(([, id = '']) => ({
        id,
        file: path.relative(process.cwd(), name),
        title: withoutIds(title),
        status,
      })),
    ),
  );
  return Map.groupBy(found, ({ id }) => id);
}

function documentOf(proofs: ReadonlyMap<string, readonly Proof[]>): string {
  const parts = STATED.map((name) => {
    const statements = statementsOf(name);
    const rows = statements.map(({ id, text }) => {
      const ofStatement = proofs.get(id) ?? [];
      const passed = ofStatement.length > 0 && ofStatement.every((one) => one.status === 'passed');
      return `| ${id} | ${text} | ${testsOf(ofStatement)} | ${passed ? 'passed' : 'FAILED'} |`;
    });
    return [
      `## ${TITLES[name]}`,
      '',
      `${statements.length} statements: [conformance/${name}.md](conformance/${name}.md).`,
      '',
      '| id | statement | tests | result |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
    ].join('\n');
  });
  return [
    '# Conformance',
    '',
    'Made by `npm run conformance`: do not edit. Each statement, the tests that prove it, and how they ended.',
    '',
    ...parts,
  ].join('\n');
}

/** Each title once; many run for several API levels or inputs. */
function testsOf(proofs: readonly Proof[]): string {
  const files = [...Map.groupBy(proofs, ({ file }) => file)].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return files
    .map(([file, ones]) => {
      const titles = [...new Set(ones.map(({ title }) => title))].toSorted();
      return `[${file}](../${file}): ${titles.map(inCell).join('; ')}`;
    })
    .join('<br>');
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/[<>*_`[\]]/g, '\\$&');
}
