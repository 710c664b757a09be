import {
  containerName,
  healthCommand,
  hostOf,
  isIpAddress,
  isLoopback,
  portOf,
  secretLine,
  sharesNetwork,
  startEnvironment,
  type StartFile,
  type StartPlan,
  storagePath,
  yamlText,
} from './start-plan.js';

/** A file for Docker Compose, and the secret beside it. */
export function composeFiles(plan: StartPlan, image: string): StartFile[] {
  const { appId } = plan;
  const storage = storagePath(plan);
  const secretFile = `${appId}.env`;
  const volume = `${appId}_data`;
  const service = {
    image: literal(image),
    container_name: containerName(plan),
    restart: 'unless-stopped',
    env_file: [secretFile],
    environment: Object.fromEntries(
      startEnvironment(plan, storage).map(([name, value]) => [name, literal(value)]),
    ),
    ...network(plan),
    volumes: [`${volume}:${storage}`],
    healthcheck: {
      test: ['CMD-SHELL', healthCommand(plan)],
      interval: '30s',
      timeout: '10s',
      retries: 3,
      start_period: '60s',
    },
    ...devices(plan),
  };
  const text = yamlText({ services: { [appId]: service }, volumes: { [volume]: {} } });
  return [
    { name: 'compose.yaml', text, isSecret: false },
    { name: secretFile, text: secretLine(plan), isSecret: true },
  ];
}

/** Compose replaces `$NAME` and `${NAME}` in values. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$');
}

function network(plan: StartPlan): object {
  const host = hostOf(plan);
  const port = portOf(plan);
  if (sharesNetwork(plan)) {
    return { network_mode: 'host' };
  }
  if (isLoopback(host) || isIpAddress(host)) {
    return { ports: [`${host === 'localhost' ? '127.0.0.1' : host}:${port}:${port}`] };
  }
  // The name of the service, for a Gatefold in the same network of containers.
  return host === plan.appId ? { expose: [String(port)] } : { ports: [`${port}:${port}`] };
}

function devices({ device }: StartPlan): object {
  switch (device) {
    case 'cpu':
      return {};
    case 'cuda':
      return {
        deploy: {
          resources: {
            reservations: { devices: [{ driver: 'nvidia', count: 'all', capabilities: ['gpu'] }] },
          },
        },
      };
    case 'rocm':
      return { devices: ['/dev/kfd', '/dev/dri'] };
  }
}
