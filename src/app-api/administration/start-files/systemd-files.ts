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
} from './start-plan.js';

const DOCKER = '/usr/bin/docker';

/**
 * A unit for systemd, and the secret beside it. Without a command, it runs the image with Docker.
 *
 * @param folder absolute path of the folder that the secret will be in
 */
export function systemdFiles(plan: StartPlan, folder: string): StartFile[] {
  const { appId } = plan;
  const secretFile = `${appId}.env`;
  const storage = plan.command === undefined ? storagePath(plan) : `/var/lib/${stateFolder(plan)}`;
  const environment = startEnvironment(plan, storage);
  const lines = [
    '[Unit]',
    `Description=External app ${appId} of Gatefold`,
    'Wants=network-online.target',
    'After=network-online.target',
    ...(plan.command === undefined ? ['Requires=docker.service', 'After=docker.service'] : []),
    '',
    '[Service]',
    `EnvironmentFile=${folder.replaceAll('%', '%%')}/${secretFile}`,
    ...environment.map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    ...(plan.command === undefined
      ? dockerLines(
          plan,
          environment.map(([name]) => name),
        )
      : commandLines(plan, plan.command)),
    'Restart=always',
    'RestartSec=5',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ];
  return [
    { name: `${containerName(plan)}.service`, text: lines.join('\n'), isSecret: false },
    { name: secretFile, text: secretLine(plan), isSecret: true },
  ];
}

const stateFolder = ({ appId }: StartPlan) => `nc_app_${appId}`;

function commandLines(plan: StartPlan, command: string): string[] {
  return [
    `ExecStart=/bin/sh -c ${argument(command)}`,
    `StateDirectory=${stateFolder(plan)}`,
    'DynamicUser=yes',
    'NoNewPrivileges=yes',
  ];
}

function dockerLines(plan: StartPlan, names: readonly string[]): string[] {
  const name = containerName(plan);
  const run = [
    'run',
    '--rm',
    '--name',
    name,
    ...networkOptions(plan),
    // Only the names: the values come from the unit, and no secret is in the list of processes.
    ...[...names, 'APP_SECRET'].flatMap((variable) => ['--env', variable]),
    '--volume',
    `${plan.appId}_data:${storagePath(plan)}`,
    ...deviceOptions(plan),
    '--health-cmd',
    healthCommand(plan),
    '--health-interval',
    '30s',
    '--health-start-period',
    '60s',
    plan.image ?? '',
  ];
  return [
    `ExecStartPre=-${DOCKER} rm --force ${name}`,
    `ExecStart=${DOCKER} ${run.map(argument).join(' ')}`,
    `ExecStop=${DOCKER} stop ${name}`,
    'TimeoutStartSec=0',
  ];
}

function networkOptions(plan: StartPlan): string[] {
  if (sharesNetwork(plan)) {
    return ['--network', 'host'];
  }
  const host = hostOf(plan);
  const port = portOf(plan);
  const isAddress = isLoopback(host) || isIpAddress(host);
  const place = isAddress ? `${host === 'localhost' ? '127.0.0.1' : host}:` : '';
  return ['--publish', `${place}${port}:${port}`];
}

function deviceOptions({ device }: StartPlan): string[] {
  switch (device) {
    case 'cpu':
      return [];
    case 'cuda':
      return ['--gpus', 'all'];
    case 'rocm':
      return ['--device', '/dev/kfd', '--device', '/dev/dri'];
  }
}

/** One word of a unit file: systemd reads escapes of C in it, and specifiers that begin with %. */
function quoted(text: string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replaceAll(
      /\p{Cc}/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return `"${escaped}"`;
}

/** One argument of a command: systemd also replaces variables in it. */
function argument(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : quoted(text.replaceAll('$', '$$$$'));
}
