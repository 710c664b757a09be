import type { Command } from 'commander';
import { AS_JSON, show, type AsJson, table } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import { FetchSettings } from '../sources/fetch/fetch-settings.provider.js';
import type { Attempt } from '../sources/history/fetch-history.repository.js';
import { AddressDoctor, type AddressReport, type Step } from './address-doctor.service.js';
import { FeedDoctor, type SourceReport } from './feed-doctor.service.js';

export function registerDoctorCommand(program: Command, withApp: WithApp): void {
  program
    .command('feed:doctor <id-or-url>')
    .description('explain the state of a feed, or what a subscription to an address would do')
    .option('--retry', 'fetch the feed now, then explain')
    .option('--source', 'the number is the id of a source, not of a feed')
    .option('--show-queries', 'show the queries of addresses, which may contain secrets')
    .option(...AS_JSON)
    .action(
      async (
        feedOrUrl: string,
        options: AsJson & {
          readonly retry?: true;
          readonly source?: true;
          readonly showQueries?: true;
        },
      ) => {
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
      },
    );
}

export function sourceReportText(report: SourceReport): string {
  const { due, hub, announcedMove, failedDocument } = report;
  const facts: [string, string | null][] = [
    ['source', `${report.sourceId}, followed by ${report.followers}`],
    ['title', report.title || '(none)'],
    ['address', report.address],
    ['fetched from', report.fetchedFrom === report.address ? null : report.fetchedFrom],
    ['moving to', announcedMove && `${announcedMove.to}, seen ${announcedMove.sightings} times`],
    ['health', healthText(report)],
    ['warning', report.warning],
    ['fetching', report.isGiven ? 'never: items are added to it by requests of its user' : null],
    ['fetched', report.fetchedAt === null ? 'never' : at(report.fetchedAt)],
    ['due', due && `${at(due.at)}: ${due.why}`],
    ['host paused until', due?.hostPausedUntil ? at(due.hostPausedUntil) : null],
    ['hub', hub && `${hub.state}${hub.expiresAt === null ? '' : ` until ${at(hub.expiresAt)}`}`],
  ];
  return [
    table(facts.flatMap(([name, text]) => (text === null ? [] : [[name, text]]))),
    '',
    report.attempts.length === 0 ? 'No attempts were recorded.' : attemptsText(report.attempts),
    ...(failedDocument === null
      ? []
      : [
          '',
          `The last document that could not be read came ${at(failedDocument.at)}, ` +
            `${failedDocument.bytes} bytes of ${failedDocument.contentType ?? 'no type'}:`,
          `  ${failedDocument.message}`,
          ...failedDocument.beginning
            .split('\n', LINES_SHOWN)
            .map((line) => `  | ${printable(line)}`),
        ]),
  ].join('\n');
}

export function addressReportText({ steps, feeds, source }: AddressReport): string {
  return [
    table(steps.map((step) => [mark(step), step.step, step.text])),
    ...feeds.map((feed) => `      feed: ${feed}`),
    ...(source === null ? [] : ['', sourceReportText(source)]),
  ].join('\n');
}

const LINES_SHOWN = 10;
const LONGEST_LINE = 160;

function attemptsText(attempts: readonly Attempt[]): string {
  return table([
    ['AT', 'OUTCOME', 'STATUS', 'MS', 'BYTES', 'NEW', 'CHANGED', 'DUE', 'WHY'],
    ...attempts.map((attempt) => [
      at(attempt.atSeconds),
      attempt.outcome,
      text(attempt.status),
      text(attempt.durationMs),
      text(attempt.bytes),
      text(attempt.newItems),
      text(attempt.changedItems),
      at(attempt.dueAtSeconds),
      attempt.message === null ? attempt.decision : `${attempt.decision} – ${attempt.message}`,
    ]),
  ]);
}

function healthText({ health, errorsInRow, lastError }: SourceReport): string {
  return errorsInRow === 0 ? health : `${health}, ${errorsInRow} errors in a row: ${lastError}`;
}

function mark({ ok }: Step): string {
  return ok ? 'ok' : 'NO';
}

function text(value: number | null): string {
  return value === null ? '-' : String(value);
}

function at(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '');
}

/** Documents of publishers may contain control sequences of terminals. */
function printable(line: string): string {
  return line.replace(/\p{Cc}/gu, ' ').slice(0, LONGEST_LINE);
}
