import { Option, type Command } from 'commander';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandMisused, CommandRefused } from '../../../common/command-line/command-refused.js';
import { fileRefused } from '../../../common/command-line/file-refused.js';
import { inOwnProcess } from '../../../common/command-line/own-process.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import { ALOUD, withExitCodes } from '../../apps/command-outcome.js';
import {
  INFO_XML,
  JSON_INFO,
  readInfo,
  type InfoOptions,
} from '../../apps/manifest/manifest-options.js';
import { composeFiles } from './compose-file.js';
import { kubernetesFiles, kubernetesName } from './kubernetes-files.js';
import { readEnvironment } from './process-environment.js';
import {
  COMPUTE_DEVICES,
  portOf,
  type ComputeDevice,
  type StartFile,
  type StartPlan,
} from './start-plan.js';
import { StartPlansService } from './start-plans.service.js';
import { systemdFiles } from './systemd-files.js';

const FORMATS = ['compose', 'systemd', 'k8s'] as const;

/** Folder of the unit's secret if the files are only printed. */
const USUAL_FOLDER = '/etc/gatefold';

interface ManifestOptions extends InfoOptions {
  readonly format: (typeof FORMATS)[number];
  readonly image?: string;
  readonly command?: string;
  readonly computeDevice: ComputeDevice;
  readonly nextcloudUrl?: string;
  readonly baseUrl?: string;
  readonly env?: readonly string[];
  readonly output?: string;
  readonly force?: true;
}

/** The operator's command for the files that start the process of an app. */
export function registerAppManifestCommand(program: Command, withApp: WithApp): void {
  inOwnProcess(program.command('app_api:app:manifest [appid]'))
    .description('write the files that start the process of an app, registered or to be registered')
    .addOption(
      new Option('--format <format>', 'kind of the files').choices(FORMATS).makeOptionMandatory(),
    )
    .option(...INFO_XML)
    .option(...JSON_INFO)
    .option('--image <image>', 'image of the container; overrides that of the info.xml')
    .option('--command <command>', 'for systemd: run this command instead of a container')
    .addOption(
      new Option('--compute-device <device>', 'processor to compute with')
        .choices(COMPUTE_DEVICES)
        .default('cpu'),
    )
    .option('--nextcloud-url <url>', 'address at which the app reaches Gatefold')
    .option('--base-url <url>', 'address at which Gatefold will reach an app to be registered')
    .option(
      '--env <NAME=VALUE>',
      'variable of the process; may be given several times',
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option('--output <folder>', 'write files into this folder instead of printing them')
    .option('--force', 'overwrite files')
    .action(async (appId: string | undefined, options: ManifestOptions) => {
      await withExitCodes(ALOUD, () =>
        withApp(async (get) => {
          if (appId === undefined && options.infoXml === undefined) {
            throw new CommandMisused('Name a registered app, or give --info-xml.');
          }
          const manifest = await readInfo(get, appId, undefined, options);
          const { plan, isRegistered } = await get(StartPlansService).of(manifest, {
            image: options.image,
            command: options.command,
            device: options.computeDevice,
            gatewayUrl: checkedUrl('--nextcloud-url', options.nextcloudUrl),
            baseUrl: checkedUrl('--base-url', options.baseUrl),
            environment: readEnvironment(options.env),
          });
          const files = filesOf(plan, options);
          if (options.output === undefined) {
            // kubectl reads one stream of documents.
            const between = options.format === 'k8s' ? '---\n' : '\n';
            process.stdout.write(files.map(printed).join(between));
          } else {
            await write(files, options.output, options.force === true);
            ALOUD.say(files.map(({ name }) => path.join(options.output ?? '', name)).join('\n'));
          }
          ALOUD.complain(nextStep(plan, options, isRegistered));
        }),
      );
    });
}

function filesOf(plan: StartPlan, { format, output }: ManifestOptions): StartFile[] {
  if (plan.command !== undefined && format !== 'systemd') {
    throw new CommandMisused('--command belongs to --format systemd.');
  }
  if (plan.command !== undefined && /[\0\r]/.test(plan.command)) {
    throw new CommandMisused('The command contains a null character or a carriage return.');
  }
  if (plan.image === undefined && plan.command === undefined) {
    throw new CommandRefused(
      `The image of ${plan.appId} is unknown: give --info-xml with a <docker-install>, or --image.`,
    );
  }
  switch (format) {
    case 'compose':
      return composeFiles(plan, plan.image ?? '');
    case 'systemd': {
      const folder = output === undefined ? USUAL_FOLDER : path.resolve(output);
      if (folder.includes('\n')) {
        throw new CommandMisused('The name of the folder contains a line break.');
      }
      return systemdFiles(plan, folder);
    }
    case 'k8s':
      return kubernetesFiles(plan, plan.image ?? '');
  }
}

function printed({ name, text }: StartFile): string {
  return `# ${name}\n${text}`;
}

/** Files with secrets are created readable by the owner only. */
async function write(files: readonly StartFile[], folder: string, force: boolean): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text, isSecret } of files) {
    const place = path.join(folder, name);
    try {
      if (force) {
        // Recreated, not overwritten: the existing file may be readable for others.
        await rm(place, { force: true });
      }
      await writeFile(place, text, { flag: 'wx', mode: isSecret ? 0o600 : 0o644 });
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? new CommandRefused(`${place} exists; --force overwrites it.`)
        : fileRefused(error);
    }
  }
}

function checkedUrl(option: string, text: string | undefined): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') {
    throw new CommandMisused(`${option} must be an http or https address.`);
  }
  return text.replace(/\/+$/, '');
}

function nextStep(plan: StartPlan, { format }: ManifestOptions, isRegistered: boolean): string {
  const { appId, baseUrl } = plan;
  const inCluster = `http://${kubernetesName(plan)}:${portOf(plan)}`;
  const address = format === 'k8s' ? inCluster : baseUrl;
  if (isRegistered) {
    return address === baseUrl || baseUrl.startsWith(`http://${kubernetesName(plan)}.`)
      ? `Start it; ${appId} is registered at ${baseUrl}.`
      : `In the cluster ${appId} answers at ${address}, but it is registered at ${baseUrl}: register it anew with that address.`;
  }
  const file = format === 'k8s' ? `${kubernetesName(plan)}-secret.yaml` : `${appId}.env`;
  return `Start it, then register it: app_api:app:register ${appId} --secret-file ${file} --json-info '{"base_url":"${address}"}', with the same --info-xml.`;
}
