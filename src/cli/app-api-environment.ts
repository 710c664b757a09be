import type { WantedVariable } from '../app-api/registration-input.js';
import type { ExApp } from '../app-api/store/ex-apps.repository.js';
import { GATEFOLD_VERSION } from '../common/version.js';

/** What the app's process has to find in its environment, ready to be copied. */
export function environmentOf(
  app: ExApp,
  wanted: readonly WantedVariable[],
  gatewayUrl: string,
): string {
  const { hostname, port, protocol } = new URL(app.baseUrl);
  const variables = [
    ['APP_ID', app.appId],
    ['APP_SECRET', app.secret],
    ['APP_VERSION', app.version],
    ['APP_DISPLAY_NAME', app.name],
    ['APP_HOST', hostname],
    ['APP_PORT', port || (protocol === 'https:' ? '443' : '80')],
    ['AA_VERSION', GATEFOLD_VERSION],
    ['NEXTCLOUD_URL', gatewayUrl],
    ...wanted.map(({ name, default: usual }) => [name, usual]),
  ].map(([name, value]) => `  ${name}=${quoted(value ?? '')}`);
  return [
    'Start its process with this environment; the secret is shown only this once:',
    ...variables,
  ].join('\n');
}

/** Fit for a shell. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
