import { CommandMisused } from '../../../common/command-line/command-refused.js';
import type { ExApp } from '../../apps/ex-apps.repository.js';
import type { ExAppManifest } from '../../apps/manifest/ex-app-manifest.js';
import { GATEWAY_VERSION } from '../../gateway-version.js';

type EnvironmentVariables = Readonly<Record<string, string>>;

/**
 * `NAME=VALUE` each, as typed with `--env`.
 *
 * @throws CommandMisused
 */
export function readEnvironment(typed: readonly string[] = []): EnvironmentVariables {
  return Object.fromEntries(
    typed.map((text) => {
      const [, name, value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
      if (name === undefined) {
        throw new CommandMisused(`--env takes NAME=VALUE, not "${text}".`);
      }
      return [name, value];
    }),
  );
}

/**
 * The environment variables for the app's process, ready to be copied. With a secret chosen by the
 * operator, the process is set up already, and only the variables of `--env` are listed.
 *
 * @param given with `--env`; overrides the defaults of the manifest
 * @returns empty if there are none
 */
export function environmentOf(
  app: ExApp,
  { secret, environment }: Pick<ExAppManifest, 'secret' | 'environment'>,
  given: EnvironmentVariables,
  gatewayUrl: string,
): string {
  if (secret !== undefined) {
    const lines = asLines(Object.entries(given));
    return lines.length === 0
      ? ''
      : ['Start its process with this in its environment, too:', ...lines].join('\n');
  }
  const { hostname, port, protocol } = new URL(app.baseUrl);
  const variables = [
    ['APP_ID', app.appId],
    ['APP_SECRET', app.secret],
    ['APP_VERSION', app.version],
    ['APP_DISPLAY_NAME', app.name],
    ['APP_HOST', hostname],
    ['APP_PORT', port || (protocol === 'https:' ? '443' : '80')],
    ['AA_VERSION', GATEWAY_VERSION],
    ['NEXTCLOUD_URL', gatewayUrl],
    ...environment.map(({ name, default: usual }) => [name, usual]),
  ] as const;
  const all = { ...Object.fromEntries(variables), ...given };
  return [
    'Start its process with this environment; the secret is shown only this once:',
    ...asLines(Object.entries(all)),
  ].join('\n');
}

function asLines(variables: readonly (readonly [string, string])[]): string[] {
  return variables.map(([name, value]) => `  ${name}=${quoted(value)}`);
}

/** Quotes for a shell. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
