import type { Command } from 'commander';
import { CommandRefused } from '../../../common/command-line/command-refused.js';
import { inOwnProcess } from '../../../common/command-line/own-process.js';
import { ProgressBar } from '../../../common/command-line/progress-bar.js';
import { say } from '../../../common/command-line/say.js';
import { wholeNumber, wholeNumberBetween } from '../../../common/command-line/whole-number.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import { sizeText } from '../../../common/size-text.js';
import { ContentMoves, type Moved } from './content-moves.service.js';

const SHOWN_FAILURES = 20;

export function registerStoreCommands(program: Command, withApp: WithApp): void {
  inOwnProcess(program.command('files:move'))
    .description(
      'move contents of files to the store of GATEFOLD_FILES_STORE, while the service runs',
    )
    .requiredOption('--to <store>', 'folder, or s3://bucket/prefix, as in the setting')
    .option('--keep-hours <hours>', 'hours until the old contents are deleted', wholeNumber, 24)
    .option('--parallel <copies>', 'copies at the same time, 1 to 32', wholeNumberBetween(1, 32), 4)
    .action(
      async ({
        to,
        keepHours,
        parallel,
      }: {
        readonly to: string;
        readonly keepHours: number;
        readonly parallel: number;
      }) => {
        const progress = new ProgressBar('Moving contents');
        const abort = new AbortController();
        const stop = () => abort.abort();
        process.once('SIGINT', stop).once('SIGTERM', stop);
        try {
          const moved = await withApp(async (get) => {
            get(ContentMoves).assertIsCurrent(to);
            return get(ContentMoves).move({
              keepSeconds: keepHours * 3600,
              parallel,
              signal: abort.signal,
              onProgress: (done, total) => progress.show(done, total),
            });
          });
          progress.end();
          tell(moved, keepHours, abort.signal.aborted);
        } finally {
          process.off('SIGINT', stop).off('SIGTERM', stop);
        }
      },
    );
}

function tell(
  { contents, bytes, failures, left }: Moved,
  keepHours: number,
  isStopped: boolean,
): void {
  say(
    `Moved ${contents} contents of files (${sizeText(bytes)}), each compared with its copy. ` +
      `The old ones are deleted after ${keepHours} hours. ${left} are left.`,
  );
  for (const [blobId, why] of [...failures].slice(0, SHOWN_FAILURES)) {
    say(`  ${blobId} stays where it is: ${why}`);
  }
  if (failures.size > 0) {
    throw new CommandRefused(
      `${failures.size} contents could not be moved. Run the command again.`,
    );
  }
  if (isStopped) {
    throw new CommandRefused('Stopped. Run the command again to continue.');
  }
}
