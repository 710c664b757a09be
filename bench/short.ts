import { layOutEarlierCheckout } from './earlier-checkout.js';
import { openLaboratory } from './laboratory.js';
import { textOption } from './options.js';
import { print } from './report.js';
import { measureConnections } from './scenarios/connections.js';
import { measureSchedule } from './scenarios/schedule.js';

/*
 * A minute of `npm run bench` against the last commit of main: `npm run bench:short`. It says what has
 * become slower, and fails only if the work fails: machines are noisy.
 *
 * --commit REV   compares with another commit
 */

const FEEDS = 40;
/** Ratios of CPU time below this are noise in a run this short. */
const SLOWER = 1.3;
/** Numbers of statements vary by what happens to run beside the measurement. */
const MORE_STATEMENTS = 1.15;

const before = await layOutEarlierCheckout(textOption('--commit'));
print(
  before === undefined
    ? 'There is no earlier commit here: this checkout is measured alone.'
    : `Compared with ${before.title}`,
);
const laboratory = await openLaboratory(
  [
    { name: 'this', checkout: process.cwd() },
    ...(before === undefined ? [] : [{ name: 'before', checkout: before.folder }]),
  ],
  { database: undefined, hosts: FEEDS },
);
try {
  await measureSchedule(laboratory, { feeds: FEEDS, rounds: 2, settleSeconds: 0 });
  await measureConnections(laboratory, { feeds: FEEDS, itemsPerFeed: 100, requests: 300 });
} finally {
  await laboratory.close();
  await before?.remove();
}
print('');
sayWhatIsSlower();

function sayWhatIsSlower(): void {
  let name = '';
  let slower = 0;
  for (const { group, name: own, unit, values } of laboratory.report.figures) {
    name = own.startsWith(' ') ? name : own;
    const [mine = 0, theirs = 0] = values;
    const isCpu = unit.startsWith('CPU ms per') || own.trim() === 'CPU';
    const isCount = own.includes('SQL statements');
    const limit = isCpu ? SLOWER : isCount ? MORE_STATEMENTS : Infinity;
    if (theirs > 0 && mine / theirs > limit) {
      slower += 1;
      const ratio = (mine / theirs).toFixed(2);
      print(
        `SLOWER THAN BEFORE  ${group}, ${name}: ${ratio} times the ${isCpu ? 'CPU' : 'statements'}`,
      );
    }
  }
  if (before !== undefined && slower === 0) {
    print('Nothing is slower than before.');
  }
}
