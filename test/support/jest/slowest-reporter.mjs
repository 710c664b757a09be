import path from 'node:path';

const LISTED = 10;

/** Lists the slowest spec files, after a run of more than those. */
export default class SlowestReporter {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= LISTED) {
      return;
    }
    const slowest = testResults
      .map(({ testFilePath, perfStats }) => ({ testFilePath, ms: perfStats.end - perfStats.start }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, LISTED);
    const lines = slowest.map(
      ({ testFilePath, ms }) =>
        `${(ms / 1000).toFixed(1).padStart(7)} s  ${path.relative(process.cwd(), testFilePath)}`,
    );
    process.stderr.write(`Slowest specs:\n${lines.join('\n')}\n`);
  }
}
