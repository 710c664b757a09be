import type { Command } from 'commander';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { AS_JSON, show, table, type AsJson } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import { withExitCodes, ALOUD } from '../apps/command-outcome.js';
import { readExAppManifest } from '../apps/manifest/ex-app-manifest.js';
import {
  INFO_XML,
  JSON_INFO,
  readXml,
  ROUTES,
  type InfoOptions,
} from '../apps/manifest/manifest-options.js';
import { DeclaredRoutesService, type BrowserAccess } from './declared-routes.service.js';

const WHOM = ['everybody', 'users', 'administrators'] as const;

/** Shows and replaces the declared routes of an app. */
export function registerAppApiRoutesCommand(program: Command, withApp: WithApp): void {
  inOwnProcess(program.command('app_api:app:routes <appid>'))
    .description('show or replace the routes of an external app for browsers')
    .option(...ROUTES)
    .option(...INFO_XML)
    .option(...JSON_INFO)
    .option(...AS_JSON)
    .action(async (appId: string, options: InfoOptions & AsJson) => {
      const { routes, infoXml, jsonInfo } = options;
      await withExitCodes(ALOUD, async () => {
        const access = await withApp(async (get) => {
          const declared = get(DeclaredRoutesService);
          if (routes !== undefined || infoXml !== undefined || jsonInfo !== undefined) {
            const input = readExAppManifest({
              appId,
              routes,
              json: jsonInfo,
              infoXml: infoXml === undefined ? undefined : await readXml(get, infoXml),
            });
            await declared.replace(appId, input.routes);
          }
          return declared.ofApp(appId);
        });
        show(access, options, () => describe(access));
      });
    });
}

function describe({ routes, closedFiles }: BrowserAccess): string {
  const rows = routes.map(({ url, verb, accessLevel }) => [WHOM[accessLevel], verb, url]);
  return [
    rows.length === 0
      ? 'Browsers reach nothing of this app.'
      : table([['FOR', 'VERBS', 'PATHS'], ...rows]),
    ...(closedFiles.length === 0
      ? []
      : [`Registered for pages, but closed to browsers: ${closedFiles.join(', ')}`]),
  ].join('\n');
}
