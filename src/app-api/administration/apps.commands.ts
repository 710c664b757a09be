import type { Command } from 'commander';
import { CommandMisused } from '../../common/command-line/command-refused.js';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { AS_JSON, say, show, type AsJson } from '../../common/command-line/say.js';
import { terminal } from '../../common/command-line/terminal.js';
import type { Get, WithApp } from '../../common/command-line/with-app.js';
import { ExAppNotFound } from '../app-api.errors.js';
import { stateOf } from '../apps/app-state.js';
import { ALOUD, FAILED, voiceOf, withExitCodes, type Voice } from '../apps/command-outcome.js';
import { ExAppsService, type KnownApp } from '../apps/lifecycle/ex-apps.service.js';
import { LifecycleFailed } from '../apps/lifecycle/lifecycle.errors.js';
import { LifecycleService } from '../apps/lifecycle/lifecycle.service.js';
import {
  INFO_XML,
  JSON_INFO,
  readInfo,
  ROUTES,
  SECRET_FILE,
  type InfoOptions,
} from '../apps/manifest/manifest-options.js';
import { askForTrust } from '../apps/trust/ask-for-trust.js';
import { ServiceProbe, type ServiceLocation } from '../host/service-probe.service.js';
import { AppFindings, AppRecordsService } from './app-records.service.js';
import { describeExamination } from './doctor.js';
import { followWarnings } from './follow-warnings.js';
import { registerAppManifestCommand } from './start-files/manifest.command.js';
import { environmentOf, readEnvironment } from './start-files/process-environment.js';

interface InstallOptions extends InfoOptions {
  readonly env?: readonly string[];
  readonly waitFinish?: true;
  readonly silent?: true;
  readonly yes?: true;
}

interface UnregisterOptions {
  readonly silent?: true;
  readonly force?: true;
  readonly keepData?: true;
}

const WAIT_FINISH = ['--wait-finish', 'wait until the app is initialised and enabled'] as const;
const SILENT = ['--silent', 'print nothing; check the exit code'] as const;
const ENV = [
  '--env <NAME=VALUE>',
  'printed with the environment that the process of the app needs; may be given several times',
  appended,
] as const;
const MOUNT = [
  '--mount <places>',
  'accepted for scripts; has no effect, since Gatefold runs no containers',
  appended,
] as const;
const FORCE_SCOPES = ['--force-scopes', 'accepted for scripts; has no effect'] as const;

/** Commands for external apps, compatible with the reference's commands. */
export function registerAppApiCommands(program: Command, withApp: WithApp): void {
  registerAppManifestCommand(program, withApp);

  inOwnProcess(program.command('app_api:app:register <appid> [daemon-config-name]'))
    .description('register an external app whose process you run, and enable it')
    .option(...INFO_XML)
    .option(...JSON_INFO)
    .option(...ROUTES)
    .option(...SECRET_FILE)
    .option(...WAIT_FINISH)
    .option(...SILENT)
    .option(...FORCE_SCOPES)
    .option('--test-deploy-mode', 'accepted for scripts; has no effect')
    .option('--yes', 'confirm, once for the installation, that external apps are trusted')
    .option(...ENV)
    .option(...MOUNT)
    .action(async (appId: string, daemonName: string | undefined, options: InstallOptions) => {
      const voice = voiceOf(options);
      await withExitCodes(voice, () =>
        withApp(async (get) => {
          const input = await readInfo(get, appId, daemonName, options);
          const given = readEnvironment(options.env);
          await askForTrust(get, voice, options);
          const lifecycle = get(LifecycleService);
          const app = await lifecycle.register(input);
          voice.say(`ExApp ${appId} is registered at ${app.baseUrl}.`);
          const service = await get(ServiceProbe).locate(app.daemonName);
          const environment = environmentOf(app, input, given, service.address);
          if (environment !== '') {
            voice.say(environment);
          }
          warnWithoutService(service, voice);
          voice.say(`Waiting for the heartbeat of ${app.baseUrl} …`);
          await followWarnings(get, appId, voice, async () => {
            await lifecycle.install(appId);
            await reportReady(get, appId, voice, options);
          });
        }),
      );
    });

  program
    .command('app_api:app:unregister <appid>')
    .description('remove an external app and everything it registered')
    .option('--silent', 'print nothing, and succeed if there is no such app')
    .option('--force', 'interrupt whatever is being done with the app')
    .option('--keep-data', "keep its values and its users' preferences for the next time")
    .option('--rm-data', 'default; accepted for scripts')
    .action(async (appId: string, options: UnregisterOptions) => {
      const { keepData = false, force = false, silent } = options;
      const voice = voiceOf(options);
      await withExitCodes(voice, async () => {
        try {
          await withApp((get) => get(LifecycleService).unregister(appId, { keepData, force }));
          voice.say(`ExApp ${appId} is unregistered.`);
        } catch (error) {
          if (!silent || !(error instanceof ExAppNotFound)) {
            throw error;
          }
        }
      });
    });

  inOwnProcess(program.command('app_api:app:update [appid]'))
    .description('update an external app to the version in its manifest')
    .option(...INFO_XML)
    .option(...JSON_INFO)
    .option(...ROUTES)
    .option(...WAIT_FINISH)
    .option(...SILENT)
    .option(...FORCE_SCOPES)
    .option(...ENV)
    .option(...MOUNT)
    .option('--include-disabled', 'accepted for scripts; belongs to --all, which is not supported')
    .option('--all', 'not supported: there is no app store')
    .option('--showonly', 'dry run')
    .action(
      async (
        appId: string | undefined,
        options: InstallOptions & { readonly all?: true; readonly showonly?: true },
      ) => {
        if (appId === undefined || options.all) {
          throw new CommandMisused(
            'There is no app store: name one app, and give --json-info or --info-xml.',
          );
        }
        const voice = voiceOf(options);
        await withExitCodes(voice, () =>
          withApp(async (get) => {
            const input = await readInfo(get, appId, undefined, options);
            if (!(await get(LifecycleService).isUpdate(appId, input))) {
              voice.say(`ExApp ${appId} is already updated: it has version ${input.version}.`);
              return;
            }
            if (options.showonly) {
              voice.say(`ExApp ${appId} would be updated to ${input.version}.`);
              return;
            }
            warnWithoutService(await locateService(get, appId), voice);
            await followWarnings(get, appId, voice, async () => {
              await get(LifecycleService).update(appId, input);
              await reportReady(get, appId, voice, options);
            });
          }),
        );
      },
    );

  program
    .command('app_api:app:enable <appid>')
    .description('enable an external app')
    .action(async (appId: string) => {
      await withExitCodes(ALOUD, () =>
        withApp(async (get) => {
          warnWithoutService(await locateService(get, appId), ALOUD);
          const changed = await followWarnings(get, appId, ALOUD, () =>
            get(LifecycleService).enable(appId),
          );
          const app = await get(ExAppsService).find(appId);
          if (changed && !app.enabled) {
            say(readiness(app));
            return;
          }
          say(`ExApp ${appId} ${changed ? 'is enabled' : 'was enabled already'}.`);
        }),
      );
    });

  program
    .command('app_api:app:disable <appid>')
    .description('disable an external app; what it registered stays and is hidden')
    .action(async (appId: string) => {
      await withExitCodes(ALOUD, () =>
        withApp(async (get) => {
          const { changed, complaint } = await get(LifecycleService).disable(appId);
          say(`ExApp ${appId} ${changed ? 'is disabled' : 'was disabled already'}.`);
          if (complaint !== null) {
            throw new LifecycleFailed(`The app reported an error: ${complaint}`);
          }
        }),
      );
    });

  program
    .command('app_api:app:list')
    .description('list external apps')
    .option(...AS_JSON)
    .action(async (options: AsJson) => {
      const apps = await withApp((get) => get(ExAppsService).list('all'));
      const lines = apps.map(
        (app) => `${app.appId} (${app.name}): ${app.version} [${stateOf(app)}]`,
      );
      show(apps, options, () => ['ExApps:', ...lines].join('\n'));
    });

  program
    .command('app_api:doctor <appid>')
    .description('diagnose an external app')
    .option(...AS_JSON)
    .action(async (appId: string, options: AsJson) => {
      const { examination, service, more } = await withApp(async (get) => {
        const examination = await get(AppRecordsService).examine(appId);
        const service = await get(ServiceProbe).locate(examination.app.daemonName);
        const more = await get(AppFindings).examine(appId);
        return { examination, service, more };
      });
      const answers = service.answersAt === service.address;
      show({ ...examination, service: { ...service, answers }, ...more.reports }, options, () =>
        describeExamination(examination, service, more),
      );
      if (!examination.heartbeat.alive || examination.app.status.error !== '') {
        terminal().exitCode = FAILED;
      }
    });
}

async function locateService(get: Get, appId: string): Promise<ServiceLocation> {
  const { daemonName } = await get(ExAppsService).find(appId);
  return get(ServiceProbe).locate(daemonName);
}

/** The app calls the service, not this command. */
function warnWithoutService({ address, answersAt, tried }: ServiceLocation, voice: Voice): void {
  if (answersAt === null) {
    voice.complain(
      `No Gatefold service answers this command at ${tried.join(' or ')}. The app calls it while it starts; run it beside this command.`,
    );
  } else if (answersAt !== address) {
    voice.complain(
      `The service runs at ${answersAt}, but apps are told to call ${address}, which does not answer this command.`,
    );
  }
}

async function reportReady(
  get: Get,
  appId: string,
  voice: Voice,
  { waitFinish }: InstallOptions,
): Promise<void> {
  if (waitFinish) {
    await get(LifecycleService).awaitReady(appId);
  }
  voice.say(readiness(await get(ExAppsService).find(appId)));
}

function appended(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function readiness({ appId, version, enabled, status }: KnownApp): string {
  return enabled
    ? `ExApp ${appId} ${version} is enabled.`
    : `ExApp ${appId} ${version} is initialising (${status.init} %) and will be enabled when it has finished; app_api:doctor ${appId} shows its progress.`;
}
