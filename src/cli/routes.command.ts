import type { Command } from 'commander';
import { inOwnProcess } from '../common/command-line/own-process.js';
import { AS_JSON, say, show, table, type AsJson } from '../common/command-line/say.js';
import { PART_NAMES } from '../common/config/parts.js';
import { loadConfig } from '../settings.js';
import { listRoutes, type ListedRoute } from './list-routes.js';

/** The map of all routes. */
export function registerRoutesCommand(program: Command): void {
  inOwnProcess(program.command('routes'))
    .description('list every route with its method, path, guards, part and file')
    .option(...AS_JSON)
    .option('--markdown', 'print docs/routes.md, with the routes of all parts')
    .action(async ({ markdown, json }: AsJson & { readonly markdown?: true }) => {
      if (markdown) {
        say(await routesDocument());
        return;
      }
      const routes = await listRoutes(loadConfig(process.env).parts);
      show(routes, { json }, () => table(routes.map(rowOf)));
    });
}

function rowOf({ method, path, guards, part, file, handler }: ListedRoute): string[] {
  return [method, path, part, guards.join(' ') || '-', handler, file];
}

/** docs/routes.md. */
export async function routesDocument(): Promise<string> {
  const routes = await listRoutes(new Set(PART_NAMES));
  const rows = routes.map(({ method, path, part, guards, file, handler }) => {
    const name = handler.replace('Controller', '').replaceAll('.', ' · ');
    return `| ${method} | \`${path}\` | ${part} | ${guards.join(' ') || '–'} | [${name}](../${file}) |`;
  });
  return [
    '# Routes',
    '',
    `Every route of the service with all parts: ${routes.length}. Written by \`npm run --silent gatefold -- routes --markdown >docs/routes.md\`.`,
    'Addresses also exist below `/index.php`. `–` is a route without a guard.',
    '',
    '| Method | Path | Part | Guards | Handler |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
