import type { Command } from 'commander';
import { AS_JSON, showList, type AsJson } from '../../../common/command-line/say.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import { ALOUD, withExitCodes } from '../../apps/command-outcome.js';
import type { ProcessingState } from '../queue/processing-task.entity.js';
import {
  TaskAdministration,
  type AdministeredType,
  type TypeChange,
} from './task-administration.service.js';

interface ListOptions extends AsJson {
  readonly state?: ProcessingState;
  readonly type?: string;
  readonly app?: string;
  readonly user?: string;
}

const MOST_LISTED = 100;

/** Task processing for operators without a browser. */
export function registerTaskProcessingCommands(program: Command, withApp: WithApp): void {
  const change = (typeId: string, wanted: TypeChange) =>
    withExitCodes(ALOUD, async () => {
      const type = await withApp((get) => get(TaskAdministration).change(typeId, wanted));
      await showList([type], {}, COLUMNS);
    });

  program
    .command('app_api:task-processing:types')
    .description('list the task types that apps provide')
    .option('--all', 'also those that nobody provides')
    .option(...AS_JSON)
    .action(async ({ all, json }: AsJson & { readonly all?: true }) => {
      const types = await withApp((get) => get(TaskAdministration).types());
      const shown = types.filter(({ providers }) => all || providers.length > 0);
      await showList(shown, { json }, COLUMNS, 'No enabled app provides task processing.');
    });

  program
    .command('app_api:task-processing:tasks')
    .description(`list the latest ${MOST_LISTED} tasks of all users, without their contents`)
    .option('--state <state>', 'scheduled, running, successful, failed or cancelled')
    .option('--type <type>', 'a task type')
    .option('--app <app>', 'the beginning of the id of an app')
    .option('--user <user>', 'the beginning of the id of a user')
    .option(...AS_JSON)
    .action(async ({ state, type, app: appId, user: userId, json }: ListOptions) => {
      const { tasks } = await withApp((get) =>
        get(TaskAdministration).list({ state, type, appId, userId }, MOST_LISTED, 0),
      );
      await showList(
        tasks,
        { json },
        {
          ID: ({ id }) => String(id),
          TYPE: (task) => task.type ?? task.kind,
          STATE: (task) => task.state,
          DONE: ({ progress }) => (progress === null ? '-' : `${progress} %`),
          PROVIDER: ({ provider }) => provider ?? '-',
          USER: (task) => task.userId ?? '-',
          SINCE: ({ createdSeconds }) => new Date(createdSeconds * 1000).toISOString(),
          ERROR: ({ error }) => error,
        },
        'There are no such tasks.',
      );
    });

  program
    .command('app_api:task-processing:prefer <type> [provider]')
    .description('choose the provider of a task type; without one, the first that was registered')
    .action((type: string, provider: string | undefined) =>
      change(type, { providerId: provider ?? null }),
    );

  program
    .command('app_api:task-processing:enable <type>')
    .description('switch a task type on')
    .action((type: string) => change(type, { enabled: true }));

  program
    .command('app_api:task-processing:disable <type>')
    .description('switch a task type off: no new tasks, and scheduled ones wait')
    .action((type: string) => change(type, { enabled: false }));
}

const COLUMNS = {
  TYPE: ({ type }: AdministeredType) => type.id,
  STATE: ({ enabled }: AdministeredType) => (enabled ? 'on' : 'off'),
  PROVIDER: ({ preferred }: AdministeredType) =>
    preferred === null ? '-' : `${preferred.id} (${preferred.appId})`,
  'OTHER PROVIDERS': ({ preferred, providers }: AdministeredType) => {
    const others = providers.filter(({ id }) => id !== preferred?.id).map(({ id }) => id);
    return others.join(', ') || '-';
  },
  SCHEDULED: ({ scheduled }: AdministeredType) => String(scheduled),
  RUNNING: ({ running }: AdministeredType) => String(running),
  'FAILED TODAY': ({ failed }: AdministeredType) => String(failed),
};
