import { Option, type Command } from 'commander';
import { AS_JSON, say, showList, type AsJson } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import type { DeadLetterLine } from '../../database/jobs/job-statements.js';
import { QueuesService } from './queues.service.js';

const MOST_LISTED = 500;

interface Chosen extends AsJson {
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
    .option(...AS_JSON)
    .action(async ({ retry, drop, ...options }: Chosen) => {
      if (retry !== undefined) {
        await withApp((get) => get(QueuesService).retry(null, retry));
        say('It is queued again, for the running service.');
      } else if (drop !== undefined) {
        await withApp((get) => get(QueuesService).drop(null, drop));
        say('It is deleted.');
      } else {
        await list(withApp, options);
      }
    });
}

async function list(withApp: WithApp, options: AsJson): Promise<void> {
  const { total, letters } = await withApp((get) => get(QueuesService).deadLetters(MOST_LISTED, 0));
  await showList(letters, options, COLUMNS, 'There are no dead letters.');
  if (total > letters.length && !options.json) {
    say(`${total - letters.length} older ones are not listed.`);
  }
}

const COLUMNS = {
  ID: ({ id }: DeadLetterLine) => id,
  KIND: ({ kind }: DeadLetterLine) => kind,
  FOR: ({ key }: DeadLetterLine) => key,
  ATTEMPTS: ({ attempts }: DeadLetterLine) => String(attempts),
  'GIVEN UP': (letter: DeadLetterLine) => new Date(letter.givenUpAtSeconds * 1000).toISOString(),
  'LAST ERROR': ({ error }: DeadLetterLine) => error,
};
