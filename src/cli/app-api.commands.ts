import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { ExAppNotFound } from '../app-api/app-api.errors.js';
import { ExAppsService } from '../app-api/ex-apps.service.js';
import {
  DaemonNotFound,
  ExAppAlreadyRegistered,
  LifeCycleFailed,
} from '../app-api/life-cycle.errors.js';
import { LifecycleService } from '../app-api/lifecycle.service.js';
import { readRegistration, type RegistrationInput } from '../app-api/registration-input.js';
import { ServiceProbe } from '../app-api/service-probe.js';
import { DomainError } from '../common/errors/domain-error.js';
import { OutgoingHttp } from '../common/http/outgoing-http.js';
import { registerAppApiConfigCommands } from './app-api-config.commands.js';
import { registerAppApiDaemonCommands } from './app-api-daemons.commands.js';
import { describeExamination } from './app-api-doctor.js';
import { environmentOf } from './app-api-environment.js';
import { CommandRefused } from './command-refused.js';
import { say } from './say.js';
import type { Get, WithApp } from './with-app.js';

/** What scripts of operators look at. */
const FAILED = 1;
const DAEMON_MISSING = 2;
const ALREADY_REGISTERED = 3;

interface InfoOptions {
  readonly infoXml?: string;
  readonly jsonInfo?: string;
  readonly waitFinish?: true;
  readonly silent?: true;
}

interface UpdateOptions extends InfoOptions {
  readonly all?: true;
  readonly showonly?: true;
}

interface UnregisterOptions {
  readonly silent?: true;
  readonly force?: true;
  readonly keepData?: true;
}

const INFO_XML = ['--info-xml <place>', 'path or address of an info.xml about the app'] as const;
const JSON_INFO = [
  '--json-info <json>',
  'what is known of the app; goes before --info-xml',
] as const;
const WAIT_FINISH = ['--wait-finish', 'wait until the app is initialised and enabled'] as const;
const SILENT = ['--silent', 'print nothing; look at the exit code'] as const;
const FORCE_SCOPES = ['--force-scopes', 'accepted for the sake of scripts; means nothing'] as const;

/** The operator's commands for external apps, under the names and arguments that operators know. */
export function registerAppApiCommands(program: Command, withApp: WithApp): void {
  registerAppApiDaemonCommands(program, withApp);
  registerAppApiConfigCommands(program, withApp);

  program
    .command('app_api:app:register <appid> [daemon-config-name]')
    .description('register an external app whose process you run, and enable it')
    .option(...INFO_XML)
    .option(...JSON_INFO)
    .option(...WAIT_FINISH)
    .option(...SILENT)
    .option(...FORCE_SCOPES)
    .option('--test-deploy-mode', 'accepted for the sake of scripts; means nothing')
    .action(async (appId: string, daemonName: string | undefined, options: InfoOptions) => {
      const voice = voiceOf(options);
      await withExitCodes(voice, () =>
        withApp(async (get) => {
          const input = await readInfo(get, appId, daemonName, options);
          const lifecycle = get(LifecycleService);
          const app = await lifecycle.register(input);
          voice.say(`ExApp ${appId} is registered at ${app.baseUrl}.`);
          if (input.secret === undefined) {
            voice.say(environmentOf(app, input.environment, get(ServiceProbe).root));
          }
          await warnWithoutService(get, voice);
          voice.say(`Waiting for a sign of life from ${app.baseUrl} …`);
          await lifecycle.install(appId);
          await reportReady(get, appId, voice, options);
        }),
      );
    });

  program
    .command('app_api:app:unregister <appid>')
    .description('remove an external app and everything it registered')
    .option('--silent', 'print nothing, and take a missing app for removed')
    .option('--force', 'end whatever is being done with the app right now')
    .option('--keep-data', "keep its values and its users' preferences for the next time")
    .option('--rm-data', 'do not; this is what happens anyway')
    .action(async (appId: string, options: UnregisterOptions) => {
      const { keepData = false, force = false, silent } = options;
      const voice = voiceOf(options);
      await withExitCodes(voice, async () => {
        const removed = await withApp((get) =>
          get(LifecycleService).unregister(appId, { keepData, force }),
        ).then(
          () => true,
          (error: unknown) => {
            if (silent && error instanceof ExAppNotFound) {
              return false;
            }
            throw error;
          },
        );
        voice.say(removed ? `ExApp ${appId} is unregistered.` : '');
      });
    });

  program
    .command('app_api:app:update [appid]')
    .description('take an external app to the version that its info names')
    .option(...INFO_XML)
    .option(...JSON_INFO)
    .option(...WAIT_FINISH)
    .option(...SILENT)
    .option(...FORCE_SCOPES)
    .option('--all', 'not possible: there is no place that new versions are known from')
    .option('--showonly', 'only say what would be done')
    .action(async (appId: string | undefined, options: UpdateOptions) => {
      if (appId === undefined || options.all) {
        throw new CommandRefused(
          'There is no store that new versions are known from: name one app, and give --json-info or --info-xml.',
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
          await warnWithoutService(get, voice);
          await get(LifecycleService).update(appId, input);
          await reportReady(get, appId, voice, options);
        }),
      );
    });

  program
    .command('app_api:app:enable <appid>')
    .description('enable an external app')
    .action(async (appId: string) => {
      await withExitCodes(ALOUD, () =>
        withApp(async (get) => {
          await warnWithoutService(get, ALOUD);
          const changed = await get(LifecycleService).enable(appId);
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
            throw new LifeCycleFailed(`It did not take note of it: ${complaint}`);
          }
        }),
      );
    });

  program
    .command('app_api:app:list')
    .description('list external apps')
    .action(async () => {
      const apps = await withApp((get) => get(ExAppsService).list('all'));
      const lines = apps.map(
        ({ appId, name, version, enabled }) =>
          `${appId} (${name}): ${version} [${enabled ? 'enabled' : 'disabled'}]`,
      );
      say(['ExApps:', ...lines].join('\n'));
    });

  program
    .command('app_api:doctor <appid>')
    .description('find out why an external app does not do what it should')
    .option('--json', 'for programs')
    .action(async (appId: string, options: { readonly json?: true }) => {
      const { examination, service } = await withApp(async (get) => {
        const probe = get(ServiceProbe);
        return {
          examination: await get(ExAppsService).examine(appId),
          service: { address: probe.root, answers: await probe.answers() },
        };
      });
      say(
        options.json
          ? JSON.stringify({ ...examination, service }, null, 2)
          : describeExamination(examination, service),
      );
      if (!examination.heartbeat.alive || examination.app.status.error !== '') {
        process.exitCode = FAILED;
      }
    });
}

/** Where a command's words go; nowhere with `--silent`. */
interface Voice {
  say(text: string): void;
  complain(text: string): void;
}

const ALOUD: Voice = { say, complain: (text) => void process.stderr.write(`${text}\n`) };
const MUTE: Voice = { say: () => {}, complain: () => {} };

function voiceOf({ silent }: { readonly silent?: true }): Voice {
  return silent ? MUTE : ALOUD;
}

/** Outcomes that scripts tell apart by the exit code, and a voice that may be none at all. */
async function withExitCodes(voice: Voice, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DomainError)) {
      throw error;
    }
    voice.complain(error.message);
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: DomainError): number {
  if (error instanceof ExAppAlreadyRegistered) {
    return ALREADY_REGISTERED;
  }
  if (error instanceof DaemonNotFound) {
    return DAEMON_MISSING;
  }
  return FAILED;
}

async function readInfo(
  get: Get,
  appId: string,
  daemonName: string | undefined,
  { infoXml, jsonInfo }: InfoOptions,
): Promise<RegistrationInput> {
  return readRegistration({
    appId,
    daemonName,
    json: jsonInfo,
    infoXml: infoXml === undefined ? undefined : await readXml(get, infoXml),
  });
}

async function readXml(get: Get, place: string): Promise<string> {
  if (!/^https?:\/\//i.test(place)) {
    return readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new CommandRefused(`${place} cannot be read (${error.code}).`);
    });
  }
  const answer = await get(OutgoingHttp).request({
    url: place,
    addressPolicy: 'operator-configured',
  });
  if (answer.status !== 200) {
    throw new CommandRefused(`${place} cannot be read: the server answered ${answer.status}.`);
  }
  return Buffer.from(answer.body).toString('utf8');
}

/** The app calls the service back, not this command. */
async function warnWithoutService(get: Get, voice: Voice): Promise<void> {
  const probe = get(ServiceProbe);
  if (!(await probe.answers())) {
    voice.complain(
      `No Gatefold service answers at ${probe.root}. The app calls it while it starts; run it beside this command.`,
    );
  }
}

async function reportReady(
  get: Get,
  appId: string,
  voice: Voice,
  { waitFinish }: InfoOptions,
): Promise<void> {
  if (waitFinish) {
    await get(LifecycleService).awaitReady(appId);
  }
  const { enabled, version, status } = await get(ExAppsService).find(appId);
  voice.say(
    enabled
      ? `ExApp ${appId} ${version} is enabled.`
      : `ExApp ${appId} ${version} initialises itself (${status.init} %) and is enabled when it has finished; app_api:doctor ${appId} shows how it goes.`,
  );
}
