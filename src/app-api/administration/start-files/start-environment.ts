import { CommandRefused } from '../../../common/command-line/command-refused.js';
import { GATEWAY_VERSION } from '../../gateway-version.js';
import { listeningHost, portOf, type StartPlan } from './start-plan.js';

const DEVICE_VARIABLES = {
  cpu: {},
  cuda: { NVIDIA_VISIBLE_DEVICES: 'all', NVIDIA_DRIVER_CAPABILITIES: 'compute,utility' },
  rocm: {},
} as const;

/**
 * The variables of an app's process, without its secret. Those of the protocol override those of the plan.
 *
 * @param storage folder for the app's persistent files
 * @throws CommandRefused for variables that no process can have
 */
export function startEnvironment(plan: StartPlan, storage: string): [string, string][] {
  const variables = Object.entries({
    ...DEVICE_VARIABLES[plan.device],
    APP_PERSISTENT_STORAGE: storage,
    ...plan.environment,
    APP_ID: plan.appId,
    APP_VERSION: plan.version,
    APP_HOST: plan.environment['APP_HOST'] ?? listeningHost(plan),
    APP_PORT: String(portOf(plan)),
    AA_VERSION: GATEWAY_VERSION,
    NEXTCLOUD_URL: plan.gatewayUrl,
    COMPUTE_DEVICE: plan.device.toUpperCase(),
  });
  for (const [name, value] of variables) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new CommandRefused(`"${name}" cannot be the name of an environment variable.`);
    }
    if (value.includes('\0')) {
      throw new CommandRefused(`The variable ${name} contains a null character.`);
    }
  }
  return variables;
}

/**
 * The secret as a line that Compose, systemd and shells read alike.
 *
 * @throws CommandRefused for a secret that they read differently
 */
export function secretLine({ appId, secret }: StartPlan): string {
  if (!/^[\x20-\x7e]+$/.test(secret) || /['\\]/.test(secret)) {
    throw new CommandRefused(
      `The secret of ${appId} has characters that files for environment variables read differently; give it another with app_api:app:secret ${appId} --rotate.`,
    );
  }
  return `APP_SECRET='${secret}'\n`;
}
