import type { Command } from 'commander';
import { EventDeliveryService, type UndeliveredEvent } from '../events/event-delivery.service.js';
import type { DeadLetter } from '../../database/job-kind.js';
import { say, table } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';

/** Undeliverable events, for operators. */
export function registerDeadLetterCommands(program: Command, withApp: WithApp): void {
  program
    .command('app_api:dead-letters')
    .description('list events that could not be delivered to external apps')
    .option('--retry <id>', 'deliver this event again')
    .action(async ({ retry }: { readonly retry?: string }) => {
      if (retry !== undefined) {
        await withApp((get) => get(EventDeliveryService).retry(retry));
        say('The running service will deliver the event again.');
        return;
      }
      const letters = await withApp((get) => get(EventDeliveryService).deadLetters());
      say(letters.length === 0 ? 'There are no dead letters.' : asTable(letters));
    });
}

function asTable(letters: readonly DeadLetter<UndeliveredEvent>[]): string {
  const rows = letters.map(({ id, payload, attempts, givenUpAt, error }) => [
    id,
    payload.appId,
    payload.event.event_subtype,
    String(attempts),
    givenUpAt.toISOString(),
    error,
  ]);
  return table([['ID', 'APP', 'EVENT', 'ATTEMPTS', 'GIVEN UP', 'LAST ERROR'], ...rows]);
}
