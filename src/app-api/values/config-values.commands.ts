import type { Command } from 'commander';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import { AS_JSON, say, showList, type AsJson } from '../../common/command-line/say.js';
import type { Get, WithApp } from '../../common/command-line/with-app.js';
import { ExAppsService } from '../apps/lifecycle/ex-apps.service.js';
import { ValuesService } from './values.service.js';

interface SetOptions {
  readonly value: string;
  readonly sensitive?: string | true;
  readonly updateOnly?: true;
}

/** Configuration values of external apps, with the commands of the reference. */
export function registerAppApiConfigCommands(program: Command, withApp: WithApp): void {
  program
    .command('app_api:app:config:get <appid> <configkey>')
    .description('print one value')
    .option('--default-value <text>', 'printed if the value does not exist')
    .action(
      async (appId: string, key: string, { defaultValue }: { readonly defaultValue?: string }) => {
        const [found] = await withApp(async (get) => (await valuesOf(get, appId)).get([key]));
        const value = found?.value ?? defaultValue;
        if (value === undefined) {
          throw notFound(appId, key);
        }
        say(value);
      },
    );

  program
    .command('app_api:app:config:set <appid> <configkey>')
    .description('set one value')
    .requiredOption('--value <text>')
    .option('--sensitive [flag]', 'encrypt it and mask it in lists; 0 undoes that')
    .option('--update-only', 'only if the value exists')
    .action(async (appId: string, key: string, options: SetOptions) => {
      const { value, updateOnly } = options;
      const sensitive = asFlag(options.sensitive);
      const kept = await withApp(async (get) => {
        const values = await valuesOf(get, appId);
        if (updateOnly && (await values.get([key])).length === 0) {
          throw notFound(appId, key);
        }
        return values.set(key, value, sensitive);
      });
      say(
        kept.sensitive
          ? `ExApp ${appId} config value ${key} is set; it is sensitive.`
          : `ExApp ${appId} config value ${key} is set to ${value}.`,
      );
    });

  program
    .command('app_api:app:config:delete <appid> <configkey>')
    .description('delete one value')
    .action(async (appId: string, key: string) => {
      const count = await withApp(async (get) => (await valuesOf(get, appId)).delete([key]));
      if (count === 0) {
        throw notFound(appId, key);
      }
      say(`ExApp ${appId} config value ${key} is deleted.`);
    });

  program
    .command('app_api:app:config:list <appid>')
    .description('list all values, sensitive ones masked')
    .option('--private', 'show sensitive values too')
    .option(...AS_JSON)
    .action(async (appId: string, options: AsJson & { readonly private?: true }) => {
      const values = await withApp(async (get) =>
        (await valuesOf(get, appId)).list({ reveal: options.private ?? false }),
      );
      await showList(
        values,
        options,
        {
          KEY: ({ key }) => key,
          VALUE: ({ value }) => value,
          SENSITIVE: ({ sensitive }) => (sensitive ? 'yes' : ''),
        },
        `ExApp ${appId} has no values.`,
      );
    });
}

async function valuesOf(get: Get, appId: string) {
  await get(ExAppsService).find(appId);
  return get(ValuesService).of(appId);
}

/** Undefined keeps the flag of a stored value. */
function asFlag(given: string | true | undefined): boolean | undefined {
  if (given === undefined || given === true) {
    return given;
  }
  return !['0', 'false', 'no'].includes(given.toLowerCase());
}

function notFound(appId: string, key: string): CommandRefused {
  return new CommandRefused(`ExApp ${appId} has no value ${key}.`);
}
