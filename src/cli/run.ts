import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { registerAppApiCommands } from '../app-api/apps/apps.commands.js';
import { registerDeadLetterCommands } from '../app-api/queues/dead-letters.commands.js';
import { registerAppSecretCommand } from '../app-api/apps/app-secret.commands.js';
import { registerAppPasswordCommands } from '../platform/sign-in/app-passwords/app-passwords.commands.js';
import { registerBackupCommands } from '../database/backup/backup.commands.js';
import { registerDatabaseStatusCommand } from '../database/checks/database-status.commands.js';
import { registerCapacityCommand } from '../../tools/capacity/capacity.command.js';
import { registerDemoCommand } from '../../tools/demo/demo.command.js';
import { registerDoctorCommand } from '../news/doctor/doctor.commands.js';
import { registerInstallationDoctorCommand } from './doctor/doctor.command.js';
import { registerDistributionCommand } from '../news/distribution/distribution.commands.js';
import { registerFeedCommands } from '../news/reader/feeds/feeds.commands.js';
import { registerUpdaterCommands } from '../news/updater/updater.commands.js';
import { registerImportNextcloudCommand } from '../news/import-nextcloud/import-nextcloud.commands.js';
import { registerOpmlCommands } from '../news/opml/opml.commands.js';
import {
  callsExApp,
  registerListCommand,
  runExAppCommand,
} from '../app-api/commands/ex-app-commands.js';
import { CommandMisused } from '../common/command-line/command-refused.js';
import { fileRefused } from '../common/command-line/file-refused.js';
import { errorCode } from '../common/http/outgoing-errors.js';
import { arrangeHelp, HELP } from './help.js';
import { jsonLog, logProcessEvents } from './json-log.js';
import { reportFailure } from './report-failure.js';
import { registerSecondFactorCommands } from '../platform/sign-in/second-factor/second-factor.commands.js';
import { registerSecretCommands } from '../platform/installation/secrets/secrets.commands.js';
import { registerAuditCommands } from '../platform/accounts/security/security-events.commands.js';
import { registerServeCommand } from './serve.command.js';
import { registerStoreCommands } from '../platform/files/stores/stores.commands.js';
import { registerSessionCommands } from '../platform/sign-in/sessions/sessions.commands.js';
import { registerGroupCommands } from '../platform/accounts/groups/groups.commands.js';
import { registerUserCommands } from '../platform/accounts/users/users.commands.js';
import { withApp, withAppAndAnyKey, withAppAsItIs, withRestoredApp } from './with-app.js';
import { GATEFOLD_VERSION } from '../common/version.js';

/**
 * Runs a command of the command line; `serve` without one. Reports failures on stderr, and sets
 * `process.exitCode`: 2 for wrong commands, arguments and options, 1 for a refusal or failure.
 *
 * @param words as typed after the name of the program
 */
export async function run([command = 'serve', ...rest]: readonly string[]): Promise<void> {
  // Without a listener, the process would end with a stack.
  process.stdout.on('error', refuseUnlessClosed);
  process.stderr.on('error', refuseUnlessClosed);
  const log = jsonLog(command);
  if (log === undefined) {
    leaveOutExperiments();
  } else {
    logProcessEvents(log);
  }
  const program = allCommands(
    log && { writeErr: (text) => log.fatal({ context: 'Start' }, text.trimEnd()) },
  );
  try {
    await runWords(program, [command, ...rest]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else if (errorCode(error) !== 'EPIPE') {
      reportFailure(fileRefused(error), log);
      process.exitCode = error instanceof CommandMisused ? 2 : 1;
    }
  }
}

async function runWords(program: Command, words: readonly string[]): Promise<void> {
  if (callsExApp(program, words)) {
    await runExAppCommand(program, withApp, words);
    return;
  }
  const [first, second] = words;
  const isKnown = program.commands.some((known) => known.name() === second);
  const asksAboutUnknown = first === 'help' && second !== undefined && !isKnown;
  await program.parseAsync(asksAboutUnknown ? words.slice(1) : words, { from: 'user' });
}

/** What reads the output, such as `head`, may have enough. */
function refuseUnlessClosed(error: Error): void {
  if (errorCode(error) !== 'EPIPE') {
    throw error;
  }
}

/** That a feature of Node.js may change is for developers. Other warnings, such as of leaks, are printed. */
function leaveOutExperiments(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') {
      printers.forEach((print) => print(warning));
    }
  });
}

/** All commands of the program. */
export function allCommands(output: OutputConfiguration = {}): Command {
  const program = new Command('gatefold')
    .description('Self-hosted feed reader service and external-app gateway')
    .version(GATEFOLD_VERSION)
    .showHelpAfterError()
    .configureOutput(output)
    .configureHelp(HELP)
    // Thrown instead of ending the process.
    .exitOverride();

  registerServeCommand(program);
  registerDemoCommand(program);
  registerCapacityCommand(program);
  registerUserCommands(program, withApp);
  registerGroupCommands(program, withApp);
  registerAppPasswordCommands(program, withApp);
  registerSessionCommands(program, withApp);
  registerSecondFactorCommands(program, withApp);
  registerAuditCommands(program, withApp);
  registerSecretCommands(program, withAppAndAnyKey);
  registerBackupCommands(program, { asItIs: withAppAsItIs, restored: withRestoredApp });
  registerDatabaseStatusCommand(program);
  registerDistributionCommand(program);
  registerInstallationDoctorCommand(program);
  registerStoreCommands(program, withApp);
  registerFeedCommands(program, withApp);
  registerDoctorCommand(program, withApp);
  registerUpdaterCommands(program, withApp);
  registerOpmlCommands(program, withApp);
  registerImportNextcloudCommand(program, withApp);
  registerAppApiCommands(program, withApp);
  registerAppSecretCommand(program, withApp);
  registerDeadLetterCommands(program, withApp);
  registerListCommand(program, withApp);
  arrangeHelp(program);
  return program.showHelpAfterError('"gatefold list" shows all commands.');
}
