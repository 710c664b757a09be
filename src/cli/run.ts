import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { registerCapacityCommand } from '../../tools/capacity/capacity.command.js';
import { registerDemoCommand } from '../../tools/demo/demo.command.js';
import { roomsWith } from '../app.module.js';
import { CommandMisused } from '../common/command-line/command-refused.js';
import { fileRefused } from '../common/command-line/file-refused.js';
import { AS_JSON } from '../common/command-line/say.js';
import type { OtherApps } from '../common/command-line/with-app.js';
import { NAMED_PARTS, partsSetting } from '../common/config/parts.js';
import { errorCode } from '../common/http/outgoing-errors.js';
import { doLastActs } from '../common/last-acts.js';
import { declaredBy } from '../common/subjects/subject.js';
import { GATEFOLD_VERSION } from '../common/version.js';
import { registerBackupCommands } from '../database/backup/backup.commands.js';
import { registerDatabaseStatusCommand } from '../database/checks/database-status.commands.js';
import { loadConfig } from '../settings.js';
import { registerInstallationDoctorCommand } from './doctor/doctor.command.js';
import { arrangeHelp, HELP } from './help.js';
import { jsonLog, logProcessEvents } from './json-log.js';
import { reportFailure } from './report-failure.js';
import { registerRoutesCommand } from './routes.command.js';
import { registerServeCommand } from './serve.command.js';
import { withApp, withAppAndAnyKey, withAppAsItIs, withRestoredApp } from './with-app.js';

/**
 * Runs a command of the command line; `serve` without one. Reports failures on stderr, and sets
 * `process.exitCode`: 2 for wrong commands, arguments and options, 1 for a refusal or failure.
 *
 * @param words as typed after the name of the program
 */
export async function run([command = 'serve', ...rest]: readonly string[]): Promise<void> {
  // Without a listener, an error would end the process with a stack trace.
  process.stdout.on('error', refuseUnlessClosed);
  process.stderr.on('error', refuseUnlessClosed);
  const log = jsonLog(command);
  if (log === undefined) {
    leaveOutExperiments();
  } else {
    logProcessEvents(log);
  }
  try {
    const { program, otherwise } = await allCommands(
      log && { writeErr: (text) => log.fatal({ context: 'Start' }, text.trimEnd()) },
    );
    await runWords(program, otherwise, [command, ...rest]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else if (errorCode(error) !== 'EPIPE') {
      reportFailure(fileRefused(error), log);
      process.exitCode = error instanceof CommandMisused ? 2 : 1;
    }
    await doLastActs();
  }
}

async function runWords(
  program: Command,
  otherwise: (words: readonly string[]) => Promise<void> | undefined,
  words: readonly string[],
): Promise<void> {
  const taken = otherwise(words);
  if (taken !== undefined) {
    await taken;
    return;
  }
  const [first, second] = words;
  const isKnown = program.commands.some((known) => known.name() === second);
  const asksAboutUnknown = first === 'help' && second !== undefined && !isKnown;
  // As scripts for Nextcloud have it.
  const typed = words.map((word) => word.replace(/^--output=json(?:_pretty)?$/, AS_JSON[0]));
  await program.parseAsync(asksAboutUnknown ? typed.slice(1) : typed, { from: 'user' });
}

/** A reader of the output, such as `head`, may close the pipe early. */
function refuseUnlessClosed(error: Error): void {
  if (errorCode(error) !== 'EPIPE') {
    throw error;
  }
}

/** Suppresses warnings about experimental features of Node.js. Others, such as of leaks, are printed. */
function leaveOutExperiments(): void {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') {
      printers.forEach((print) => print(warning));
    }
  });
}

/** The program with the commands of enabled parts, and the handler of unknown words. */
export async function allCommands(output: OutputConfiguration = {}) {
  const program = new Command('gatefold')
    .description('Self-hosted feed reader service and external-app gateway')
    .version(GATEFOLD_VERSION)
    .showHelpAfterError()
    .configureOutput(output)
    .configureHelp(HELP)
    // Thrown instead of ending the process.
    .exitOverride();
  const takers: Parameters<OtherApps['otherwise']>[0][] = [];
  const others: OtherApps = {
    withAnyKey: withAppAndAnyKey,
    asItIs: withAppAsItIs,
    restored: withRestoredApp,
    settings: () => loadConfig(process.env),
    otherwise: (take) => takers.push(take),
  };
  registerServeCommand(program);
  registerInstallationDoctorCommand(program);
  registerRoutesCommand(program);
  const parts = partsSetting.safeParse(process.env['GATEFOLD_PARTS'] ?? NAMED_PARTS.join(' '));
  const rooms = await roomsWith(parts.data ?? new Set(NAMED_PARTS));
  for (const register of [
    registerDemoCommand,
    registerCapacityCommand,
    registerBackupCommands,
    registerDatabaseStatusCommand,
    ...declaredBy(rooms).commands,
  ]) {
    register(program, withApp, others);
  }
  arrangeHelp(program);
  return {
    program: program.showHelpAfterError('"gatefold list" shows all commands.'),
    otherwise: (words: readonly string[]) =>
      takers.map((take) => take(words)).find((taken) => taken !== undefined),
  };
}
