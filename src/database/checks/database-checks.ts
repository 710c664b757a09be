import { Injectable } from '@nestjs/common';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { InstallationChecks, type CheckFinding } from '../../common/ports/installation-checks.js';
import { sizeText } from '../../common/size-text.js';
import { Database } from '../database.js';
import { appliedMigrations } from '../migration-names.js';
import { faultOfRestore } from '../unfinished-restore.js';
import {
  bloatedTables,
  disturbingSessions,
  serverSettings,
  serverState,
  unfinishedJobs,
  usedUpSequences,
  type ServerState,
} from './database-state.js';
import { schemaFinding } from './schema-state.js';

const run = promisify(execFile);

const OLDEST_VERSION = 150_000;

const SLOW_MS = 20;
const TRIES = 5;

/** Share of the connections that the server allows. */
const MANY_CONNECTIONS = 0.85;

/** The server stops taking changes at two billions. */
const OLD_TRANSACTIONS = 1_000_000_000;
const TOO_OLD_TRANSACTIONS = 1_600_000_000;

const MOSTLY_USED = 0.7;

const CLOCK_OFF_SECONDS = 2;
const CLOCK_WRONG_SECONDS = 60;

const STUCK_SECONDS = 3600;

/** Settings that lose data or time, with the value that they need. */
const NEEDED: readonly {
  readonly name: string;
  readonly value: string;
  readonly state: 'warning' | 'error';
  readonly why: string;
}[] = [
  {
    name: 'fsync',
    value: 'on',
    state: 'error',
    why: 'A power failure would destroy the database.',
  },
  {
    name: 'full_page_writes',
    value: 'on',
    state: 'error',
    why: 'A power failure would destroy the database.',
  },
  {
    name: 'synchronous_commit',
    value: 'on',
    state: 'warning',
    why: 'A crash would lose changes that users were told are saved.',
  },
  {
    name: 'autovacuum',
    value: 'on',
    state: 'error',
    why: 'Tables would grow without end, and the server stop after two billion transactions.',
  },
  {
    name: 'track_counts',
    value: 'on',
    state: 'error',
    why: 'Without it, the server does not clean up its tables.',
  },
];

/** Examines the database, its clock and the jobs in it, for `gatefold doctor`. */
@Injectable()
export class DatabaseChecks {
  constructor(
    checks: InstallationChecks,
    private readonly database: Database,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    checks.add('Database', () => this.#server());
    checks.add('Clock', () => this.#clock());
    checks.add('Jobs', () => this.#jobs());
  }

  async #server(): Promise<CheckFinding[]> {
    const state = await serverState(this.database);
    const unfinished = await faultOfRestore(this.database);
    return [
      this.#version(state),
      await this.#latency(),
      schemaFinding(await appliedMigrations(this.database)),
      ...(unfinished === null ? [] : [{ state: 'error' as const, ...unfinished }]),
      ...faultsOf(state),
      ...(await this.#settings()),
      ...(await this.#condition()),
    ];
  }

  #version({ version, versionName, bytes }: ServerState): CheckFinding {
    const where = this.config.databaseUrl === undefined ? 'embedded' : 'of DATABASE_URL';
    const text = `PostgreSQL ${versionName}, ${where}; the database has ${sizeText(bytes)}.`;
    return version >= OLDEST_VERSION
      ? { state: 'ok', text }
      : { state: 'error', text, advice: 'Upgrade the server to PostgreSQL 15 or newer.' };
  }

  async #latency(): Promise<CheckFinding> {
    const times: number[] = [];
    for (let n = 0; n < TRIES; n++) {
      const began = performance.now();
      await this.database.query('select 1');
      times.push(performance.now() - began);
    }
    const median = times.sort((a, b) => a - b)[Math.floor(TRIES / 2)] ?? 0;
    const text = `It answers in ${median.toFixed(1)} ms.`;
    return median < SLOW_MS
      ? { state: 'ok', text }
      : {
          state: 'warning',
          text,
          advice: 'Run Gatefold near its database, and look for load on the server.',
        };
  }

  async #settings(): Promise<CheckFinding[]> {
    const set = await serverSettings(
      this.database,
      NEEDED.map(({ name }) => name),
    );
    return NEEDED.filter(({ name, value }) => set.has(name) && set.get(name) !== value).map(
      ({ name, value, state, why }) => ({
        state,
        text: `The server has ${name} = ${set.get(name)}. ${why}`,
        advice: `Set ${name} = ${value} in the server's configuration.`,
      }),
    );
  }

  async #condition(): Promise<CheckFinding[]> {
    const [bloated, usedUp, { long, waiting }] = await Promise.all([
      bloatedTables(this.database),
      usedUpSequences(this.database, MOSTLY_USED),
      disturbingSessions(this.database),
    ]);
    return [
      when(bloated.length > 0, {
        state: 'warning',
        text: `More than half of the rows of these tables are dead: ${bloated.join(', ')}.`,
        advice: 'Look for old transactions, then run "vacuum" on them.',
      }),
      when(usedUp.length > 0, {
        state: 'error',
        text: `These sequences run out of numbers: ${usedUp.join(', ')}.`,
        advice: 'Report it, and name the sequences.',
      }),
      when(long > 0, {
        state: 'warning',
        text: `${long} ${long === 1 ? 'session has' : 'sessions have'} had a transaction open for more than an hour.`,
        advice: 'Find them in pg_stat_activity and end them: the server cannot clean up meanwhile.',
      }),
      when(waiting > 0, {
        state: 'warning',
        text: `${waiting} ${waiting === 1 ? 'session waits' : 'sessions wait'} for a lock for more than a minute.`,
        advice: 'pg_blocking_pids(pid) names the sessions that hold it.',
      }),
    ].flat();
  }

  async #clock(): Promise<CheckFinding[]> {
    return [await this.#clockOfDatabase(), ...(await synchronisation())];
  }

  async #clockOfDatabase(): Promise<CheckFinding> {
    const before = this.clock.now().getTime();
    const { nowMicros } = await serverState(this.database);
    const after = this.clock.now().getTime();
    const seconds = Math.abs(nowMicros / 1000 - (before + after) / 2) / 1000;
    const text = `The clocks of this process and of the database differ by ${seconds.toFixed(1)} s.`;
    if (seconds <= CLOCK_OFF_SECONDS + (after - before) / 2000) {
      return { state: 'ok', text };
    }
    return {
      state: seconds > CLOCK_WRONG_SECONDS ? 'error' : 'warning',
      text,
      advice: 'Set both clocks by NTP.',
    };
  }

  async #jobs(): Promise<CheckFinding[]> {
    const queues = await unfinishedJobs(this.database);
    const problems = queues.flatMap(({ name, isDeadLetters, jobs, oldestSeconds }) => [
      ...when(isDeadLetters, {
        state: 'warning',
        text: `${jobs} ${name} ${jobs === 1 ? 'job has' : 'jobs have'} failed for good.`,
        advice: '"gatefold app_api:dead-letters" lists, retries and drops them.',
      }),
      ...when(!isDeadLetters && oldestSeconds > STUCK_SECONDS, {
        state: 'warning',
        text: `${jobs} ${name} ${jobs === 1 ? 'job is' : 'jobs are'} unfinished, the oldest for ${Math.round(oldestSeconds / 60)} minutes.`,
        advice: 'Look for its errors in the log, and whether the service is running.',
      }),
    ]);
    const waiting = queues
      .filter(({ isDeadLetters }) => !isDeadLetters)
      .reduce((sum, { jobs }) => sum + jobs, 0);
    return problems.length > 0
      ? problems
      : [
          {
            state: 'ok',
            text: `${waiting} ${waiting === 1 ? 'job is' : 'jobs are'} waiting or running.`,
          },
        ];
  }
}

/** systemd's NTP state; no findings where systemd does not run, as in containers. */
async function synchronisation(): Promise<CheckFinding[]> {
  const answer = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
    timeout: 2000,
  }).catch(() => null);
  return when(answer?.stdout.trim() === 'no', {
    state: 'warning',
    text: 'The clock of this machine is not synchronised by NTP.',
    advice: 'Run "timedatectl set-ntp true", or another NTP service.',
  });
}

function faultsOf(state: ServerState): CheckFinding[] {
  const { isReadOnly, encoding, connections, mostConnections, frozenAge } = state;
  return [
    when(isReadOnly, {
      state: 'error',
      text: 'The database is read-only, as a standby server is.',
      advice: 'Let DATABASE_URL name the primary.',
    }),
    when(encoding !== 'UTF8', {
      state: 'error',
      text: `The database stores text as ${encoding}.`,
      advice: 'Create a database with the encoding UTF8, and restore a backup into it.',
    }),
    when(connections > mostConnections * MANY_CONNECTIONS, {
      state: 'warning',
      text: `${connections} of ${mostConnections} connections of the server are in use.`,
      advice: 'Raise max_connections, or lower GATEFOLD_DATABASE_CONNECTIONS.',
    }),
    when(frozenAge > OLD_TRANSACTIONS, {
      state: frozenAge > TOO_OLD_TRANSACTIONS ? 'error' : 'warning',
      text: `The oldest rows are ${frozenAge} transactions old; the server stops at 2,000,000,000.`,
      advice: 'Run "vacuum freeze", and look for what keeps autovacuum from its work.',
    }),
  ].flat();
}

function when(isFound: boolean, finding: CheckFinding): CheckFinding[] {
  return isFound ? [finding] : [];
}
