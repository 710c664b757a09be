import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { EMBEDDED_USER } from '../../src/database/embedded/embedded-postgres-cluster.js';
import { aDatabaseProcess } from './a-database-process.js';
import { itLong } from './long.js';
import { TEMPORARY, removeFoldersOfDeadProcesses } from './temporary-folder.js';
import { within } from './until.js';

let parent: string;
let deadPid: number;
beforeEach(async () => {
  parent = await mkdtemp(path.join(TEMPORARY, 'gatefold-spec-'));
  // Started by root, a database server runs as another user, who needs access.
  await chmod(parent, 0o711);
  deadPid = spawnSync('true').pid;
});
afterEach(() => rm(parent, { recursive: true, force: true }));

it('deletes what killed runs left, complete or not, and leaves running ones alone', async () => {
  const kept = [`gatefold-test-${process.pid}-data-a`, 'gatefold-test-data-b', 'other'].sort();
  const left = [`gatefold-test-${deadPid}-data-a`, `gatefold-test-${deadPid}-b/postgres/data`];
  await Promise.all(
    [...kept, ...left].map((name) => mkdir(path.join(parent, name), { recursive: true })),
  );
  await writeFile(path.join(parent, left[1] ?? '', 'postmaster.pid'), 'half a fi');

  await Promise.all([removeFoldersOfDeadProcesses(parent), removeFoldersOfDeadProcesses(parent)]);

  expect((await readdir(parent)).sort()).toEqual(kept);
});

itLong('stops the database of a killed run', async () => {
  const dataDir = path.join(parent, `gatefold-test-${deadPid}-database-a`);
  const holder = await aDatabaseProcess(dataDir);
  const client = new Client({
    host: path.join(dataDir, 'postgres/socket'),
    user: EMBEDDED_USER,
    database: 'postgres',
  });
  client.on('error', () => {});
  await client.connect();
  const disconnected = new Promise<void>((resolve) => client.once('end', resolve));
  await holder.kill();

  await removeFoldersOfDeadProcesses(parent);

  await within('the end of the connection', disconnected);
  expect(await readdir(parent)).toEqual([]);
});
