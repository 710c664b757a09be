import { Option, type Command } from 'commander';
import { say, table } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import type { DeadLetterLine } from '../../database/job-statements.js';
import { QueuesService } from './queues.service.js';

const MOST_LISTED = 500;

interface Chosen {
  readonly retry?: string;
  readonly drop?: string;
}

/** Jobs of all kinds that were given up, for operators without a browser. */
export function registerDeadLetterCommands(program: Command, withApp: WithApp): void {
  program
    .command('app_api:dead-letters')
    .description('list jobs that were given up: events, tasks and webhooks of external apps')
    .addOption(new Option('--retry <id>', 'queue this one again').conflicts('drop'))
    .option('--drop <id>', 'delete this one')
    .action(async ({ retry, drop }: Chosen) => {
      if (retry !== undefined) {
        await withApp((get) => get(QueuesService).retry(null, retry));
        say('It is queued again, for the running service.');
      } else if (drop !== undefined) {
        await withApp((get) => get(QueuesService).drop(null, drop));
        say('It is deleted.');
      } else {
        await list(withApp);
      }
    });
}

async function list(withApp: WithApp): Promise<void> {
  const { total, letters } = await withApp((get) => get(QueuesService).deadLetters(MOST_LISTED, 0));
  say(total === 0 ? 'There are no dead letters.' : asTable(letters));
  if (total > letters.length) {
    say(`${total - letters.length} older ones are not listed.`);
  }
}

function asTable(letters: readonly DeadLetterLine[]): string {
  const rows = letters.map((letter) => [
    letter.id,
    letter.kind,
    letter.key,
    String(letter.attempts),
    new Date(letter.givenUpAtSeconds * 1000).toISOString(),
    letter.error,
  ]);
  return table([['ID', 'KIND', 'FOR', 'ATTEMPTS', 'GIVEN UP', 'LAST ERROR'], ...rows]);
}
