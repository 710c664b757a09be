import path from 'node:path';
import { openLaboratory } from './laboratory.js';
import { numberOption, textOption } from './options.js';
import { measureFetchingRoutes } from './scenarios/fetching-routes.js';
import { measureReading } from './scenarios/reading.js';
import { measureSchedule } from './scenarios/schedule.js';

/*
 * The work of the feed reader: CPU time of the service and of PostgreSQL, statements, memory, and wall
 * time. Machines differ and are noisy, so compare ratios of one run:
 *
 *   npm run bench                                 this checkout
 *   npm run bench -- --against ../older-checkout  two builds in turns
 *
 * --only schedule,fetching,reading  these groups alone
 * --fetched 200    feeds that are fetched            --rounds 5   repetitions
 * --feeds 250 --items 200   feeds, and items of each, that are read
 * --hosts 200      hosts that the feeds are spread over; default: one each
 * --settle 5       seconds before memory is measured again
 * --database URL   a PostgreSQL server instead of an embedded one
 * --json FILE      writes the figures
 */

const against = textOption('--against');
const only = textOption('--only')?.split(',');
const rounds = numberOption('--rounds', 5);
const fetched = numberOption('--fetched', 200);

const laboratory = await openLaboratory(
  [
    { name: 'this', checkout: process.cwd() },
    ...(against === undefined ? [] : [{ name: 'other', checkout: path.resolve(against) }]),
  ],
  { database: textOption('--database'), hosts: numberOption('--hosts', fetched) },
);
const scenarios: Record<string, () => Promise<void>> = {
  schedule: () =>
    measureSchedule(laboratory, {
      feeds: fetched,
      rounds,
      settleSeconds: numberOption('--settle', 5),
    }),
  fetching: () => measureFetchingRoutes(laboratory, { feeds: fetched }),
  reading: () =>
    measureReading(laboratory, {
      feeds: numberOption('--feeds', 250),
      itemsPerFeed: numberOption('--items', 200),
      rounds,
    }),
};
try {
  for (const [name, measure] of Object.entries(scenarios)) {
    if (only === undefined || only.includes(name)) {
      await measure();
    }
  }
  const file = textOption('--json');
  if (file !== undefined) {
    laboratory.report.writeTo(file);
  }
} finally {
  await laboratory.close();
}
