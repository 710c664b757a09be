import type { Command } from 'commander';
import { AS_JSON, show, type AsJson } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import { FetchSettings } from '../sources/fetch/fetch-settings.js';
import { AddressDoctor } from './address-doctor.service.js';
import { addressReportText, sourceReportText } from './doctor-report.js';
import { FeedDoctor } from './feed-doctor.service.js';

interface DoctorOptions extends AsJson {
  readonly retry?: true;
  readonly source?: true;
  readonly showQueries?: true;
}

/** The operator's command for the feed doctor. */
export function registerDoctorCommand(program: Command, withApp: WithApp): void {
  program
    .command('feed:doctor <id-or-url>')
    .description('explain the state of a feed, or what a subscription to an address would do')
    .option('--retry', 'fetch the feed now, then explain')
    .option('--source', 'the number is the id of a source, not of a feed')
    .option('--show-queries', 'show the queries of addresses, which may contain secrets')
    .option(...AS_JSON)
    .action(async (feedOrUrl: string, options: DoctorOptions) => {
      const { showQueries = false } = options;
      if (!/^\d+$/.test(feedOrUrl)) {
        const report = await withApp(async (get) => {
          await get(FetchSettings).assertThoseOfService();
          return get(AddressDoctor).examine(feedOrUrl, showQueries);
        });
        show(report, options, () => addressReportText(report));
        return;
      }
      const report = await withApp(async (get) => {
        const doctor = get(FeedDoctor);
        const id = Number(feedOrUrl);
        const sourceId = options.source ? id : await doctor.sourceOfFeed(id);
        if (options.retry) {
          await get(FetchSettings).assertThoseOfService();
          await doctor.retry(sourceId);
        }
        return doctor.examineSource(sourceId, showQueries);
      });
      show(report, options, () => sourceReportText(report));
    });
}
