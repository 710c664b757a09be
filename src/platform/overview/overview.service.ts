import { Injectable } from '@nestjs/common';
import { availableParallelism, hostname, loadavg } from 'node:os';
import { Config } from '../../common/config/config.js';
import { AccountUse } from '../../common/http/account-use.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { AccountDeletionHooks, ListeningHooks } from '../../common/ports/hooks.js';
import { GATEFOLD_VERSION } from '../../common/version.js';
import { Regularly } from '../../database/regularly.js';
import { OverviewRepository, SAMPLE_SECONDS, type Sample } from './overview.repository.js';

/** Accounts of a sample, of each kind of use. */
const MOST_ACCOUNTS = 100;

const UNFINISHED = ['queued', 'retrying', 'active'];

/** Stores every five minutes what this process and its accounts use, and shows the last day of all processes. */
@Injectable()
export class OverviewService {
  #since = { processorMs: 0, ms: performance.now() - process.uptime() * 1000 };

  constructor(
    private readonly repository: OverviewRepository,
    private readonly metrics: Metrics,
    private readonly use: AccountUse,
    private readonly config: Config,
    listening: ListeningHooks,
    deletion: AccountDeletionHooks,
  ) {
    listening.add(() => this.sample());
    deletion.add((userId) => repository.forget(userId));
  }

  @Regularly('overview', SAMPLE_SECONDS)
  async sample(): Promise<void> {
    // The same after a restart, so that a process that restarts all the time has one row, too.
    const name = `${hostname()}:${this.config.port}`;
    await this.repository.add(name, await this.#measure(), this.use.take(MOST_ACCOUNTS));
  }

  async show() {
    const [day, processes, accounts, lastBackup] = await Promise.all([
      this.repository.day(),
      this.repository.processes(),
      this.repository.accounts(),
      this.repository.lastBackup(),
    ]);
    return { day, processes, accounts, lastBackup };
  }

  /** The metrics of this process, with its processor time since the last sample. */
  async #measure(): Promise<Sample> {
    const { user, system } = process.cpuUsage();
    const [before, now] = [
      this.#since,
      { processorMs: (user + system) / 1000, ms: performance.now() },
    ];
    this.#since = now;
    const share = (now.processorMs - before.processorMs) / Math.max(1, now.ms - before.ms);
    return {
      version: GATEFOLD_VERSION,
      processorPercent: Math.round(share * 100),
      loadPercent: Math.round(((loadavg()[0] ?? 0) * 100) / availableParallelism()),
      memoryBytes: await this.#sumOf('process_resident_memory_bytes'),
      diskSpareBytes: await this.#sumOf('gatefold_disk_spare_bytes'),
      queuedJobs: await this.#sumOf('gatefold_jobs', UNFINISHED),
      dueFeeds: await this.#sumOf('gatefold_sources', ['due']),
    };
  }

  /** @param states those that count; @returns null without values */
  async #sumOf(name: string, states?: readonly unknown[]): Promise<number | null> {
    const { values = [] } = (await this.metrics.registry.getSingleMetric(name)?.get()) ?? {};
    const counted = values.filter(({ labels }) => !states || states.includes(labels['state']));
    return values.length === 0 ? null : counted.reduce((sum, { value }) => sum + value, 0);
  }
}
