import { startDatabaseServer, type DatabaseServer } from './database-server.js';
import { startFeedFarm, type FeedFarm } from './feed-farm.js';
import { Report } from './report.js';
import { startService, type MeasuredService } from './service.js';

/** A working copy whose packages are installed. */
export interface Build {
  readonly name: string;
  readonly checkout: string;
}

/** Shared by all scenarios of a run. */
export interface Laboratory {
  readonly server: DatabaseServer;
  readonly farm: FeedFarm;
  readonly report: Report;
  /**
   * Starts the service of each build on an empty database of its own, for the time of the work.
   *
   * @param settings environment variables, beside the ones of every benchmark
   */
  withServices(
    settings: Readonly<Record<string, string>>,
    work: (services: readonly MeasuredService[]) => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

/** @param options.database address of a server to use instead of an embedded one */
export async function openLaboratory(
  builds: readonly Build[],
  options: { readonly database: string | undefined; readonly hosts: number },
): Promise<Laboratory> {
  const server = await startDatabaseServer(options.database);
  const farm = await startFeedFarm(options.hosts);
  return {
    server,
    farm,
    report: new Report(builds.map(({ name }) => name)),
    async withServices(settings, work) {
      const services: MeasuredService[] = [];
      try {
        for (const { name, checkout } of builds) {
          services.push(await startService(server, name, checkout, settings));
        }
        await work(services);
      } finally {
        for (const service of services) {
          await service.stop();
        }
      }
    },
    async close() {
      await farm.stop();
      await server.stop();
    },
  };
}
