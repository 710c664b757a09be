import type { Command } from 'commander';
import { ALOUD, withExitCodes } from '../../apps/command-outcome.js';
import { say, table } from '../../../common/command-line/say.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import type { ProcessingState } from '../queue/processing-task.entity.js';
import {
  TaskAdministration,
  type AdministeredType,
  type TypeChange,
} from './task-administration.service.js';

interface ListOptions {
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
      say(table([HEADINGS, rowOf(type)]));
    });

  program
    .command('app_api:task-processing:types')
    .description('list the task types that apps provide')
    .option('--all', 'also those that nobody provides')
    .action(async ({ all }: { readonly all?: true }) => {
      const types = await withApp((get) => get(TaskAdministration).types());
      const shown = types.filter(({ providers }) => all || providers.length > 0);
      say(
        shown.length === 0
          ? 'No enabled app provides task processing.'
          : table([HEADINGS, ...shown.map(rowOf)]),
      );
    });

  program
    .command('app_api:task-processing:tasks')
    .description(`list the latest ${MOST_LISTED} tasks of all users, without their contents`)
    .option('--state <state>', 'scheduled, running, successful, failed or cancelled')
    .option('--type <type>', 'a task type')
    .option('--app <app>', 'the beginning of the id of an app')
    .option('--user <user>', 'the beginning of the id of a user')
    .action(async ({ state, type, app: appId, user: userId }: ListOptions) => {
      const { tasks } = await withApp((get) =>
        get(TaskAdministration).list({ state, type, appId, userId }, MOST_LISTED, 0),
      );
      const rows = tasks.map((task) => [
        String(task.id),
        task.type ?? task.kind,
        task.state,
        task.progress === null ? '-' : `${task.progress} %`,
        task.provider ?? '-',
        task.userId ?? '-',
        new Date(task.createdSeconds * 1000).toISOString(),
        task.error,
      ]);
      const headings = ['ID', 'TYPE', 'STATE', 'DONE', 'PROVIDER', 'USER', 'SINCE', 'ERROR'];
      say(rows.length === 0 ? 'There are no such tasks.' : table([headings, ...rows]));
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

const HEADINGS = [
  'TYPE',
  'STATE',
  'PROVIDER',
  'OTHER PROVIDERS',
  'SCHEDULED',
  'RUNNING',
  'FAILED TODAY',
];

function rowOf({ type, enabled, preferred, providers, ...figures }: AdministeredType): string[] {
  const others = providers.filter(({ id }) => id !== preferred?.id).map(({ id }) => id);
  return [
    type.id,
    enabled ? 'on' : 'off',
    preferred === null ? '-' : `${preferred.id} (${preferred.appId})`,
    others.join(', ') || '-',
    String(figures.scheduled),
    String(figures.running),
    String(figures.failed),
  ];
}
