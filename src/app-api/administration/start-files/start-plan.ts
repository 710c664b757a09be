import { stringify } from 'yaml';
import { CommandRefused } from '../../../common/command-line/command-refused.js';
import { GATEWAY_VERSION } from '../../gateway-version.js';

/** Processors that an app computes with. */
export const COMPUTE_DEVICES = ['cpu', 'cuda', 'rocm'] as const;
export type ComputeDevice = (typeof COMPUTE_DEVICES)[number];

/** Contents of the files for starting an app. */
export interface StartPlan {
  readonly appId: string;
  readonly version: string;
  /** Root of the app's routes. */
  readonly baseUrl: string;
  /** The address of the service, as the app calls it. */
  readonly gatewayUrl: string;
  readonly secret: string;
  /** A container image; undefined if the app runs with `command`. */
  readonly image: string | undefined;
  /** A command line for a shell. */
  readonly command: string | undefined;
  readonly device: ComputeDevice;
  /** Environment variables besides the protocol's; never `APP_SECRET`. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface StartFile {
  readonly name: string;
  readonly text: string;
  /** Contains the secret. */
  readonly isSecret: boolean;
}

/** The name of containers and units, as the reference has it. */
export const containerName = ({ appId }: StartPlan) => `nc_app_${appId}`;

/** The app's persistent folder in a container. */
export const storagePath = ({ appId }: StartPlan) => `/nc_app_${appId}_data`;

export function hostOf({ baseUrl }: StartPlan): string {
  return new URL(baseUrl).hostname;
}

export function portOf({ baseUrl }: StartPlan): number {
  const { port, protocol } = new URL(baseUrl);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname);
}

export function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
}

/** A container reaches a service on the loopback address only in the network of the machine. */
export const sharesNetwork = ({ gatewayUrl }: StartPlan) =>
  isLoopback(new URL(gatewayUrl).hostname);

/** The address that the app listens on. */
function listeningHost(plan: StartPlan): string {
  const host = hostOf(plan);
  const isOnMachine = plan.command !== undefined || sharesNetwork(plan);
  return isOnMachine && (isLoopback(host) || isIpAddress(host))
    ? host.replace(/^\[(.*)\]$/, '$1')
    : '0.0.0.0';
}

/** A shell command in the container that fails while the app does not answer; images differ in their programs. */
export function healthCommand(plan: StartPlan): string {
  const host = listeningHost(plan);
  const place = host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${place}:${portOf(plan)}/heartbeat`;
  return (
    `curl -fsS ${url} || wget -qO- ${url} || ` +
    `python3 -c "import urllib.request as r; r.urlopen('${url}')"`
  );
}

const DEVICE_VARIABLES = {
  cpu: {},
  cuda: { NVIDIA_VISIBLE_DEVICES: 'all', NVIDIA_DRIVER_CAPABILITIES: 'compute,utility' },
  rocm: {},
} as const;

/**
 * The variables of an app's process, without its secret. The protocol's variables override the plan's.
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

/**
 * A mapping as YAML. All texts are quoted, and long ones stay on one line, so that readers of YAML 1.1
 * and 1.2 read the same.
 */
export function yamlText(mapping: object): string {
  return stringify(mapping, {
    version: '1.1',
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}
