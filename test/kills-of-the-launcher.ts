/**
 * `node --import ./test/support/run-typescript.mjs test/kills-of-the-launcher.ts [rounds] [seed] [seconds]`: starts
 * the service as operators do, and sends signals at random moments of its start, its life and its stop: to the
 * launcher, the service, its database server and a session of that. Then one start and one stop in order
 * have to leave no process of the data folder behind. Without SIGKILL, the signals alone have to.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './support/free-port.js';
import { temporaryFolder } from './support/temporary-folder.js';

const LAUNCHER = new URL('../bin/gatefold.mjs', import.meta.url).pathname;
const NEW_FOLDER_EVERY_ROUNDS = 3;
const LONGEST_PAUSE_MS = 1_200;
const ENDS_WITHIN_MS = 40_000;
const READY_WITHIN_MS = 90_000;
/** A server that was told to stop, and an initdb without its parent, end by themselves. */
const GONE_WITHIN_MS = 15_000;

const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** When the first signal is sent, with a random pause. */
const MOMENTS = {
  begun: () => true,
  'creates the database': () => namesIn('').some((name) => name.startsWith('data-draft')),
  'starts the server': () => namesIn('data').includes('postmaster.pid'),
} as const;

const TARGETS = ['launcher', 'service', 'service', 'server', 'session'] as const;
type Target = (typeof TARGETS)[number];

interface Shot {
  readonly target: Target;
  readonly signal: NodeJS.Signals;
  readonly afterMs: number;
}

const rounds = Number(process.argv[2] ?? 40);
const seed = Number(process.argv[3] ?? 1);
/** No round begins later. */
const endsAt = Date.now() + Number(process.argv[4] ?? 3600) * 1000;
const random = mulberry(seed);
const upTo = (most: number) => Math.floor(random() * most);
const oneOf = <Value>(values: readonly Value[]): Value => values[upTo(values.length)] as Value;
/** Too old for the service, so that the launcher starts another one. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((file) => {
  const version = /^v(\d+)/.exec(String(spawnSync(file, ['--version']).stdout))?.[1];
  return version !== undefined && Number(version) < 22;
});
const faults: string[] = [];
let leftByKill = 0;
let played = 0;
let dataDir = '';
let strangers: ChildProcess[] = [];

try {
  for (; played < rounds && Date.now() < endsAt; played++) {
    if (played % NEW_FOLDER_EVERY_ROUNDS === 0) {
      await removeFolder();
      const folder = await temporaryFolder('kills');
      // The account of the database has to reach it.
      await chmod(folder, 0o711);
      dataDir = path.join(folder, 'data');
    }
    await oneRound(played);
  }
} finally {
  strangers.forEach((one) => one.kill());
  ours().forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
  await removeFolder();
}
process.stdout.write(
  `${played} rounds of seed ${seed}, ${faults.length} faults; after a SIGKILL ${leftByKill} servers waited for the next start\n`,
);
process.exitCode = faults.length === 0 ? 0 : 1;

async function removeFolder(): Promise<void> {
  await (dataDir && rm(path.dirname(dataDir), { recursive: true, force: true, maxRetries: 5 }));
}

async function oneRound(round: number): Promise<void> {
  const isOld = oldNode !== undefined && random() < 0.5;
  const moment = oneOf([...Object.keys(MOMENTS), 'ready'] as (keyof typeof MOMENTS | 'ready')[]);
  const shots = Array.from({ length: 1 + upTo(2) }, (): Shot => {
    const target = oneOf(TARGETS);
    const signal = target === 'server' || random() < 0.4 ? 'SIGKILL' : oneOf(STOPPING);
    return {
      target,
      signal: target === 'session' ? 'SIGKILL' : signal,
      afterMs: upTo(LONGEST_PAUSE_MS),
    };
  });
  const leavesStalePid = random() < 0.2;
  const story = `round ${round}: ${isOld ? 'launcher' : 'service'}, ${moment}: ${shots
    .map(({ target, signal, afterMs }) => `${afterMs} ms, ${signal} to the ${target}`)
    .join('; ')}`;
  const fault = (what: string) => {
    faults.push(`${story}: ${what}`);
    process.stdout.write(`FAULT ${story}: ${what}\n`);
  };
  const first = await begin(isOld);
  await first.comesTo(moment);
  for (const shot of shots) {
    await pause(shot.afterMs);
    shoot(shot, first);
  }
  const wasToldToEnd = shots.some(({ target }) => target === 'launcher' || target === 'service');
  if (!wasToldToEnd) {
    first.child.kill('SIGTERM');
  }
  if (!(await first.endsWithin(ENDS_WITHIN_MS))) {
    fault(`it did not end:\n${first.log()}`);
    first.child.kill('SIGKILL');
  }
  const wasKilled = shots.some(
    ({ signal, target }) => signal === 'SIGKILL' && target !== 'server' && target !== 'session',
  );
  if (!wasKilled && !(await nothingIsLeft())) {
    fault(`left: ${ours().map(({ command }) => command)}\n${first.log()}`);
  }
  leftByKill += wasKilled && ours().length > 0 ? 1 : 0;
  if (leavesStalePid && ours().length === 0) {
    await writeStalePid();
  }
  const second = await begin(isOld);
  try {
    await second.ready();
    second.child.kill('SIGTERM');
    assert(await second.endsWithin(ENDS_WITHIN_MS), 'the stop did not end');
    assert.equal(second.child.exitCode, 0, 'the stop failed');
    assert(await nothingIsLeft(), `left: ${ours().map(({ command }) => command)}`);
  } catch (error) {
    fault(`afterwards, ${(error as Error).message}\n${second.log()}`);
    ours().forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
    await nothingIsLeft();
  }
  strangers.forEach((one) => one.kill());
  strangers = [];
  process.stdout.write(`${story}\n`);
}

interface Begun {
  readonly child: ChildProcess;
  ready(): Promise<void>;
  comesTo(moment: keyof typeof MOMENTS | 'ready'): Promise<void>;
  endsWithin(ms: number): Promise<boolean>;
  log(): string;
}

async function begin(isOld: boolean): Promise<Begun> {
  const port = await freePort();
  const child = spawn(isOld ? (oldNode as string) : process.execPath, [LAUNCHER, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      GATEFOLD_PORT: String(port),
      GATEFOLD_DATA_DIR: dataDir,
      GATEFOLD_ADMIN_PASSWORD: 'a good password',
    },
  });
  let log = '';
  child.stdout.on('data', (text: Buffer) => (log += text.toString()));
  child.stderr.on('data', (text: Buffer) => (log += text.toString()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const url = `http://127.0.0.1:${port}/health/ready`;
  const isReady = async () => (await fetch(url).catch(() => undefined))?.status === 200;
  return {
    child,
    log: () => log.slice(-3000),
    async ready() {
      const deadline = Date.now() + READY_WITHIN_MS;
      while (!(await isReady())) {
        assert(!hasEnded(), 'the service ended before it was ready');
        assert(Date.now() < deadline, 'the service is not ready');
        await pause(50);
      }
    },
    async comesTo(moment) {
      const hasCome = moment === 'ready' ? () => false : MOMENTS[moment];
      // Not each start has each moment.
      while (!hasCome() && !(await isReady())) {
        assert(!hasEnded(), `the service ended early:\n${log}`);
        await pause(5);
      }
    },
    async endsWithin(ms) {
      const ended = hasEnded() ? undefined : once(child, 'exit');
      await Promise.race([ended, pause(ms, undefined, { ref: false })]);
      return hasEnded();
    },
  };
}

function shoot({ target, signal }: Shot, { child }: Begun): void {
  const pid = pidOf(target, child.pid ?? 0);
  if (pid === undefined) {
    return;
  }
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** @returns undefined while there is none */
function pidOf(target: Target, launcher: number): number | undefined {
  const isChildOf = (parent: number) => processes().filter(({ parentPid }) => parentPid === parent);
  if (target === 'launcher') {
    return launcher;
  }
  if (target === 'service') {
    return isChildOf(launcher).find(({ command }) => command.includes('serve'))?.pid ?? launcher;
  }
  const server = serverPid();
  return target === 'server' || server === undefined
    ? server
    : isChildOf(server).find(({ command }) => command.includes('gatefold'))?.pid;
}

function serverPid(): number | undefined {
  const file = pidFile();
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
}

function pidFile(): string {
  return path.join(dataDir, 'postgres/data/postmaster.pid');
}

/** As of a container that was killed: the same number is that of another process of the same user now. */
async function writeStalePid(): Promise<void> {
  if (!existsSync(path.dirname(pidFile()))) {
    return;
  }
  const { uid } = await stat(path.dirname(pidFile()));
  const stranger = spawn('sleep', ['120'], { uid, stdio: 'ignore' });
  strangers.push(stranger);
  await writeFile(pidFile(), `${stranger.pid}\n${path.dirname(pidFile())}\n1\n5432\n`);
  if (namesIn('').includes('socket')) {
    const lock = path.join(dataDir, 'postgres/socket/.s.PGSQL.5432.lock');
    await writeFile(lock, `${stranger.pid}\n`, { mode: 0o644 });
  }
}

/** Of a folder of the database. */
function namesIn(folder: string): string[] {
  const place = path.join(dataDir, 'postgres', folder);
  return existsSync(place) ? readdirSync(place) : [];
}

/** Processes of the data folder, but the service. */
function ours() {
  return processes().filter(({ command }) => dataDir !== '' && command.includes(dataDir));
}

async function nothingIsLeft(): Promise<boolean> {
  const deadline = Date.now() + GONE_WITHIN_MS;
  while (ours().length > 0 && Date.now() < deadline) {
    await pause(50);
  }
  return ours().length === 0;
}

function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return state === 'Z' ? [] : [{ pid: Number(name), parentPid: Number(parent), command }];
      } catch {
        return [];
      }
    });
}

/** The same numbers for the same seed. */
function mulberry(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
