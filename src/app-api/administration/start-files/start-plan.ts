/** Processors that an app computes with. */
export const COMPUTE_DEVICES = ['cpu', 'cuda', 'rocm'] as const;
export type ComputeDevice = (typeof COMPUTE_DEVICES)[number];

/** Everything that the files for starting an app contain. */
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
  /** Variables besides those of the protocol; none is `APP_SECRET`. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A file for starting an app. */
export interface StartFile {
  readonly name: string;
  readonly text: string;
  /** Contains the secret. */
  readonly isSecret: boolean;
}

/** The name of containers and units, as the reference has it. */
export const containerName = ({ appId }: StartPlan) => `nc_app_${appId}`;

/** Where a container has the app's persistent files. */
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
export function listeningHost(plan: StartPlan): string {
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
