import type { Command } from 'commander';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import { fileRefused } from '../../common/command-line/file-refused.js';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { ProgressBar } from '../../common/command-line/progress-bar.js';
import { say } from '../../common/command-line/say.js';
import { wholeNumber, wholeNumberBetween } from '../../common/command-line/whole-number.js';
import type { Get, WithApp } from '../../common/command-line/with-app.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { UserAccounts } from '../../common/ports/user-accounts.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { readerOf } from '../reader/delivery/reader-of.js';
import { OpmlExport } from './opml-export.service.js';
import { OpmlService, type OpmlImportResult } from './opml.service.js';
import { LARGEST_OPML_BYTES, type InvalidOpmlFeed } from './read-opml.js';

const STANDARD_INPUT = '-';
const PATIENCE_SECONDS = 120;
const POLL_MS = 500;

interface ImportOptions {
  /** True without a number. */
  readonly wait?: number | true;
  /** Newest items that each feed has unread after its first fetch; absent is all. */
  readonly unread?: number;
}

/** The operator's commands for lists of feeds. */
export function registerOpmlCommands(program: Command, withApp: WithApp): void {
  inOwnProcess(program.command('news:opml:import <user> <file>'))
    .description('subscribe a user to the feeds of an OPML file; "-" reads standard input')
    .option(
      '--wait [seconds]',
      `wait until a running service has fetched every feed once; give up after so many seconds without progress (${PATIENCE_SECONDS})`,
      wholeNumberBetween(1, 999_999),
    )
    .option(
      '--unread <number>',
      'leave so many of the newest items of each feed unread',
      wholeNumber,
    )
    .action(async (userId: string, file: string, { wait, unread: startUnread }: ImportOptions) => {
      const document = await readFileOf(file);
      await withApp(async (get) => {
        const reader = await requireReader(get, userId);
        const bar = new ProgressBar('importing');
        const result = await get(OpmlService)
          .import(reader, document, { startUnread, onProgress: bar.show.bind(bar) })
          .finally(() => bar.end());
        await get(AdministrationLog).record({
          kind: 'feed_changed',
          userId,
          details: 'OPML imported',
        });
        say(describe(result));
        if (wait !== undefined) {
          await waitForFetches(get, reader, wait === true ? PATIENCE_SECONDS : wait);
        }
      });
    });

  inOwnProcess(program.command('news:opml:export <user> [file]'))
    .description('write the feeds of a user as OPML, to standard output without a file')
    .action(async (userId: string, file: string | undefined) => {
      await withApp(async (get) => {
        const reader = await requireReader(get, userId);
        const pieces = await get(OpmlExport).of(reader);
        if (file === undefined) {
          await pipeline(pieces, process.stdout, { end: false });
          return;
        }
        // Addresses of feeds can hold passwords.
        await pipeline(pieces, createWriteStream(file, { mode: 0o600 }));
        say(`Wrote the feeds of user "${userId}" to ${file}.`);
      });
    });
}

/**
 * Waits for a running service to fetch the feeds.
 *
 * @throws CommandRefused without progress for `patienceSeconds`
 */
async function waitForFetches(get: Get, reader: Reader, patienceSeconds: number): Promise<void> {
  const imports = get(OpmlService);
  const bar = new ProgressBar('fetching ');
  let fetchedBefore = -1;
  let lastProgressAt = Date.now();
  try {
    for (;;) {
      const { feeds, fetched, failing } = await imports.fetchProgress(reader);
      bar.show(fetched, feeds);
      if (fetched >= feeds) {
        bar.end();
        say(`All ${feeds} feeds were fetched; ${failing} could not be read.`);
        return;
      }
      if (fetched > fetchedBefore) {
        fetchedBefore = fetched;
        lastProgressAt = Date.now();
      }
      if (Date.now() - lastProgressAt > patienceSeconds * 1000) {
        throw new CommandRefused(
          `${feeds - fetched} of ${feeds} feeds still wait for their first fetch, and nothing was ` +
            `fetched for ${patienceSeconds} s. Is the service running, with GATEFOLD_SCHEDULER=on?`,
        );
      }
      await delay(POLL_MS);
    }
  } finally {
    bar.end();
  }
}

async function requireReader(get: Get, userId: string): Promise<Reader> {
  if (!(await get(UserAccounts).allUserIds()).includes(userId)) {
    throw new CommandRefused(`There is no user "${userId}".`);
  }
  return readerOf(get, userId);
}

/** Stops reading as soon as the size limit is exceeded. */
async function readFileOf(file: string): Promise<Uint8Array> {
  const source = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source) {
      bytes += (chunk as Buffer).length;
      chunks.push(chunk as Buffer);
      if (bytes > LARGEST_OPML_BYTES) {
        break;
      }
    }
  } catch (error) {
    // Reading a folder fails without its name.
    throw fileRefused(error, file);
  }
  return Buffer.concat(chunks);
}

function describe({
  imported,
  alreadyThere,
  invalid,
  moreInvalid = 0,
  notTaken = [],
  moreNotTaken = 0,
}: OpmlImportResult): string {
  const lineOf = (words: readonly string[], { reason, line }: InvalidOpmlFeed) =>
    `  ${line === null ? '' : `line ${line}: `}${[words.filter(Boolean).join(', '), reason].filter(Boolean).join(': ')}`;
  return [
    `${imported} feeds imported, ${alreadyThere} already there, ${invalid.length + moreInvalid} could not be imported.`,
    ...invalid.map((one) => lineOf([one.title, one.url], one)),
    ...(notTaken.length > 0
      ? [`Settings of other readers that were not taken: ${notTaken.length + moreNotTaken}.`]
      : []),
    ...notTaken.map((one) => lineOf([one.title || one.url, one.attribute], one)),
  ].join('\n');
}
