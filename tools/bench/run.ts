import path from 'node:path';
import { openLaboratory } from './laboratory.js';
import { numberOption, textOption } from './options.js';
import { measureAccounts } from './scenarios/accounts.js';
import { measureConnections } from './scenarios/connections.js';
import { measureFetchingRoutes } from './scenarios/fetching-routes.js';
import { measurePolls } from './scenarios/polls.js';
import { measureReading } from './scenarios/reading.js';
import { measureSchedule } from './scenarios/schedule.js';
import { measureTasks } from './scenarios/tasks.js';
import { measureTold } from './scenarios/told.js';

/*
 * The work of the feed reader: CPU time of the service and of PostgreSQL, statements, memory, and wall
 * time. Machines differ and are noisy, so compare ratios of one run:
 *
 *   npm run bench                                 this checkout
 *   npm run bench -- --against ../older-checkout  two builds in turns
 *
 * --only schedule,fetching,reading,polls,connections,accounts,tasks,told  these groups alone
 * --fetched 200    feeds that are fetched            --rounds 5   repetitions
 * --feeds 250 --items 200   feeds, and items of each, that are read
 * --requests 2000  requests of 32 connections      --accounts 20  accounts that share feeds
 * --pollers 2000   accounts that poll, once each, --idle 65 seconds after their last use
 * --unread 10000,100000  items that a list of feeds counts
 * --tasks 200      tasks that apps do              --readers 1000  readers who are told
 * --hosts 200      hosts that the feeds are spread over; default: one each
 * --settle 5       seconds before memory is measured again
 * --database URL   a PostgreSQL server instead of an embedded one
 * --json FILE      writes the figures              --publish    into docs/performance.md, too
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
  polls: () =>
    measurePolls(laboratory, {
      accounts: numberOption('--pollers', 2000),
      idleSeconds: numberOption('--idle', 65),
    }),
  connections: () =>
    measureConnections(laboratory, {
      feeds: 100,
      itemsPerFeed: 100,
      requests: numberOption('--requests', 2000),
    }),
  accounts: () =>
    measureAccounts(laboratory, {
      unread: (textOption('--unread') ?? '10000,100000').split(',').map(Number),
      accounts: numberOption('--accounts', 20),
    }),
  tasks: () => measureTasks(laboratory, { tasks: numberOption('--tasks', 200), waiting: 10_000 }),
  told: () => measureTold(laboratory, { readers: numberOption('--readers', 1000) }),
};
try {
  for (const [name, measure] of Object.entries(scenarios)) {
    if (only === undefined || only.includes(name)) {
      await measure();
    }
  }
  laboratory.report.keep();
} finally {
  await laboratory.close();
}
