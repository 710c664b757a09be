import { InvalidArgumentError, type Command } from 'commander';
import { pipeline } from 'node:stream/promises';
import { CommandMisused } from '../../../common/command-line/command-refused.js';
import { inOwnProcess } from '../../../common/command-line/own-process.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import { jsonLines } from './event-json.js';
import { ExportRequest, toFilter } from './security-events.input.js';
import { SecurityEventsService } from './security-events.service.js';

interface ExportOptions {
  readonly from?: number;
  readonly to?: number;
  readonly kind?: string;
  readonly user?: string;
  readonly actor?: string;
}

/** The operator's command for the audit log. */
export function registerAuditCommands(program: Command, withApp: WithApp): void {
  inOwnProcess(program.command('audit:export'))
    .description('print the audit log as JSON lines, oldest event first')
    .option(
      '--from <time>',
      'events at or after this time, such as 2026-11-01 or 2026-11-01T12:00Z',
      seconds,
    )
    .option('--to <time>', 'events before this time', seconds)
    .option('--kind <kinds>', 'events of these kinds, separated by commas')
    .option('--user <beginning>', 'events about users whose names begin so')
    .option('--actor <beginning>', 'events caused by users whose names begin so')
    .action(async (options: ExportOptions) => {
      const wanted = ExportRequest.safeParse(options);
      if (!wanted.success) {
        throw new CommandMisused(
          wanted.error.issues.map(({ path, message }) => `--${path.join()} ${message}`).join('; '),
        );
      }
      await withApp(async (get) => {
        const events = await get(SecurityEventsService).export(toFilter(wanted.data));
        await pipeline(jsonLines(events), process.stdout, { end: false });
      });
    });
}

function seconds(time: string): number {
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) {
    throw new InvalidArgumentError('It is no time such as 2026-11-01 or 2026-11-01T12:00Z.');
  }
  return Math.floor(milliseconds / 1000);
}
