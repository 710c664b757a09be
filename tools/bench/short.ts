import { layOutEarlierCheckout } from './earlier-checkout.js';
import { openLaboratory } from './laboratory.js';
import { textOption } from './options.js';
import { print } from './report.js';
import { measureConnections } from './scenarios/connections.js';
import { measurePolls } from './scenarios/polls.js';
import { measureSchedule } from './scenarios/schedule.js';

/*
 * A few minutes of `npm run bench` against the last commit of main: `npm run bench:short`. Reports regressions,
 * and fails only if the work fails: machines are noisy.
 *
 * --commit REV   compares with another commit
 */

const FEEDS = 40;

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
  await measureSchedule(laboratory, { feeds: FEEDS, rounds: 2, settleSeconds: 40, isShort: true });
  await measurePolls(laboratory, { accounts: 500, idleSeconds: 65 });
  await measureConnections(laboratory, { feeds: FEEDS, itemsPerFeed: 100, requests: 300 });
} finally {
  await laboratory.close();
  await before?.remove();
}
print('');
const slower = laboratory.report.slower();
for (const { name, what, ratio } of slower) {
  print(`SLOWER THAN BEFORE  ${name}: ${ratio.toFixed(2)} times the ${what}`);
}
if (before !== undefined && slower.length === 0) {
  print('Nothing is clearly slower than before.');
}
