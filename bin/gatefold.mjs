#!/usr/bin/env node
// Starts the command line of Gatefold whatever Node.js it is started with, and in a checkout builds
// it first when that is due. Has to be understood by Node.js 18, hence plain JavaScript.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST_NODE = [22, 17];

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');
const cli = path.join(dist, 'app/main.js');
const pages = path.join(root, 'web/dist');
const nest = path.join(root, 'node_modules/.bin/nest');
const bundler = path.join(root, 'tools/bundle.mjs');
const vite = path.join(root, 'node_modules/vite/bin/vite.js');

/** In `dist`, written last: what it was built from. */
const STAMP = 'built-from.txt';

/** Everything the build reads; of packages, their versions. */
const BUILD_INPUTS = [
  'src',
  'tools/demo',
  'tools/capacity',
  'tools/bundle.mjs',
  'web/src',
  'web/public',
  'web/vite.config.ts',
  'web/tsconfig.json',
  'package.json',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  '.swcrc',
];

/** Holds a build on its way; being there tells other processes to wait for it. */
const workshop = path.join(root, '.build');

/** No build takes longer, so one that is older was abandoned. */
const LONGEST_BUILD_MILLISECONDS = 120_000;

// Name look-ups for dozens of fetches at once share these threads with password hashing.
process.env.UV_THREADPOOL_SIZE ??= '16';

/**
 * Keeps the memory of the service small, see docs/decisions/0036. The young generation grows to two
 * halves of 64 MiB otherwise, and the heap to several times its content before it is collected.
 */
const V8_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=40'];

/** Each thread would have its own heap for buffers, which keeps what it has freed. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2' };

/** Levels of the service's log. */
const INFO = 30;
const FATAL = 60;

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

if (await runsInService()) {
  // Its exit status is set.
} else if (isTooOld(process.versions.node)) {
  handOverToNewerNode();
} else {
  endWithLauncher();
  if (canBuild() && !isUpToDate()) {
    await buildInTurn();
  }
  if (!existsSync(cli)) {
    fail('Gatefold is not built yet: run "npm ci && npm run build" in its folder.');
  }
  if (needsOtherFlags()) {
    restartWithFlags();
  }
  await import(pathToFileURL(cli).href);
}

/** Tries once, before anything is loaded, and not with sources that are newer than the program. */
async function runsInService() {
  const [, , command = 'serve', ...rest] = process.argv;
  if (command === 'serve' || process.env.LAUNCHED_BY !== undefined) {
    return false;
  }
  const { findSocket, runInService } = await import('./in-service.mjs');
  const place = findSocket();
  return (
    place !== null &&
    !(canBuild() && !isUpToDate()) &&
    runInService(place, programId(), [command, ...rest])
  );
}

/** Of the build, as the service has read it at its start. */
function programId() {
  const file = path.join(dist, 'app/program-id.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function isTooOld(version) {
  const [major, minor] = version.split('.').map(Number);
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
}

function handOverToNewerNode() {
  const child = spawn(findNewerNode(), [...V8_FLAGS, ...process.argv.slice(1)], {
    env: { ...ALLOCATOR, ...process.env, LAUNCHED_BY: String(process.pid) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // A session of its own: Ctrl-C reaches this process alone and is passed on once, like every
    // other signal, so that one press is one request to stop.
    detached: true,
  });
  for (const signal of FORWARDED_SIGNALS) {
    process.on(signal, () => child.kill(signal));
  }
  child.once('error', (error) => fail(`Node.js could not be started: ${error.message}`));
  child.once('exit', (code, signal) => {
    if (signal === null) {
      process.exit(code);
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function findNewerNode() {
  const name = `node-${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node`);
  } catch {
    return fail(
      `Gatefold needs Node.js ${OLDEST_NODE.join('.')} or newer. This is ${process.version}, and npm has ` +
        `not installed a newer one (${name}): install Node.js 24, or run "npm ci" with optional packages.`,
    );
  }
}

/** Only for the service itself. Flags of an operator or a debugger replace ours. */
function needsOtherFlags() {
  const [, , command = 'serve'] = process.argv;
  return (
    command === 'serve' &&
    process.execve !== undefined &&
    !process.channel &&
    process.execArgv.length === 0 &&
    process.env.NODE_OPTIONS === undefined
  );
}

/** Replaces this process by the same with other flags: process id and signals stay. Does not return. */
function restartWithFlags() {
  process.execve(process.execPath, [process.execPath, ...V8_FLAGS, ...process.argv.slice(1)], {
    ...ALLOCATOR,
    ...process.env,
  });
}

/** A launcher that is killed takes the service along at once, as if they were one process. */
function endWithLauncher() {
  const { LAUNCHED_BY: launcher } = process.env;
  delete process.env.LAUNCHED_BY;
  const end = () => {
    // The service stops its database meanwhile; without a listener this ends it.
    process.kill(process.pid, 'SIGUSR2');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 6000);
  };
  if (process.channel) {
    process.once('disconnect', end);
    process.channel.unref();
  } else if (launcher !== undefined) {
    // Killed before this was loaded: nothing would tell of it any more.
    end();
  }
}

/** Published packages and images without the development packages come built. */
function canBuild() {
  return existsSync(path.join(root, 'src')) && existsSync(nest) && isWritable(root);
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isUpToDate() {
  const stamp = path.join(dist, STAMP);
  return existsSync(stamp) && existsSync(pages) && readFileSync(stamp, 'utf8') === fingerprint();
}

/** Changes when a file is added, removed or written. */
function fingerprint() {
  const hash = createHash('sha256');
  const add = (name) => {
    const file = path.join(root, name);
    const { size, mtimeMs } = statSync(file);
    hash.update(`${name}\0${size}\0${mtimeMs}\n`);
  };
  const walk = (name) => {
    for (const entry of readdirSync(path.join(root, name), { withFileTypes: true })) {
      const child = path.join(name, entry.name);
      if (entry.isDirectory()) {
        walk(child);
      } else if (!child.endsWith('.spec.ts')) {
        add(child);
      }
    }
  };
  for (const name of BUILD_INPUTS) {
    if (statSync(path.join(root, name)).isDirectory()) {
      walk(name);
    } else {
      add(name);
    }
  }
  return hash.digest('hex');
}

async function buildInTurn() {
  await openWorkshop();
  try {
    if (!isUpToDate()) {
      build();
    }
  } finally {
    closeWorkshop();
  }
}

/** At once: others would wait for ever for one that was left without the number of its process. */
function closeWorkshop() {
  const remains = `${workshop}-${process.pid}`;
  renameSync(workshop, remains);
  rmSync(remains, { recursive: true, force: true });
}

/** Resolves when the workshop is this process's. */
async function openWorkshop() {
  const draft = `${workshop}-${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(path.join(draft, 'pid'), String(process.pid));
  for (;;) {
    try {
      renameSync(draft, workshop);
      return;
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') {
        rmSync(draft, { recursive: true });
        throw error;
      }
    }
    if (workshopIsAbandoned()) {
      const remains = `${draft}-remains`;
      renameSync(workshop, remains);
      // What the killed process had started may still be writing.
      rmSync(remains, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    } else {
      await pause(50);
    }
  }
}

function workshopIsAbandoned() {
  try {
    const pid = Number(readFileSync(path.join(workshop, 'pid'), 'utf8'));
    const age = Date.now() - statSync(workshop).mtimeMs;
    return pid === process.pid || age > LONGEST_BUILD_MILLISECONDS || !isRunning(pid);
  } catch {
    // It has just been closed.
    return false;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Builds aside and swaps, so that `dist` is never half of something. */
function build() {
  say('Building Gatefold (once) …', INFO);
  const builtFrom = fingerprint();
  const output = path.join(workshop, 'dist');
  const project = path.join(workshop, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({
      extends: path.join(root, 'tsconfig.build.json'),
      compilerOptions: { outDir: output },
    }),
  );
  const newPages = path.join(workshop, 'pages');
  runBuilder(
    [nest, 'build', '--path', path.relative(root, project)],
    path.join(output, 'src/main.js'),
  );
  runBuilder([bundler, output], path.join(output, 'app/main.js'));
  runBuilder(
    [vite, 'build', 'web', '--outDir', newPages, '--emptyOutDir', '--logLevel', 'warn'],
    path.join(newPages, 'manifest.json'),
  );
  writeFileSync(path.join(output, STAMP), builtFrom);
  swap(newPages, pages, 'pages');
  swap(output, dist, 'dist');
}

/** @param result a file that is there if the builder did its work */
function runBuilder(command, result) {
  const run = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
  if (run.status !== 0 || !existsSync(result)) {
    closeWorkshop();
    fail(`Gatefold could not be built:\n${run.stdout ?? ''}${run.stderr ?? ''}`);
  }
}

function swap(fresh, place, name) {
  if (existsSync(place)) {
    renameSync(place, path.join(workshop, `former-${name}`));
  }
  renameSync(fresh, place);
}

function fail(message) {
  say(message.trimEnd(), FATAL);
  process.exit(1);
}

/** A line for people, or a line of the log where the service writes its log as JSON. */
function say(message, level) {
  const [, , command = 'serve'] = process.argv;
  const isLog = command === 'serve' && process.env.GATEFOLD_LOG_FORMAT === 'json';
  const origin = { time: Date.now(), pid: process.pid, hostname: os.hostname(), context: 'Start' };
  const line = isLog ? JSON.stringify({ level, ...origin, msg: message }) : message;
  process.stderr.write(`${line}\n`);
}
