import { Command, CommanderError, type OutputConfiguration } from 'commander';
import type { Logger } from 'pino';
import { registerCapacityCommand } from '../../tools/capacity/capacity.command.js';
import { registerDemoCommand } from '../../tools/demo/demo.command.js';
import { roomsWith } from '../app.module.js';
import { CommandMisused } from '../common/command-line/command-refused.js';
import { fileRefused } from '../common/command-line/file-refused.js';
import { needsOwnProcess } from '../common/command-line/own-process.js';
import { AS_JSON } from '../common/command-line/say.js';
import { terminal } from '../common/command-line/terminal.js';
import type { OtherApps, WithApp } from '../common/command-line/with-app.js';
import { NAMED_PARTS, partsSetting } from '../common/config/parts.js';
import { errorCode } from '../common/http/outgoing-errors.js';
import { doLastActs } from '../common/last-acts.js';
import { declaredBy } from '../common/subjects/subject.js';
import { GATEFOLD_VERSION } from '../common/version.js';
import { registerBackupCommands } from '../database/backup/backup.commands.js';
import { registerDatabaseStatusCommand } from '../database/checks/database-status.commands.js';
import { loadConfig } from '../settings.js';
import { registerInstallationDoctorCommand } from './doctor/doctor.command.js';
import { arrangeHelp, helpFor } from './help.js';
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
    const commands = await allCommands(
      log && { writeErr: (text) => log.fatal({ context: 'Start' }, text.trimEnd()) },
    );
    await runWords(commands, [command, ...rest]);
  } catch (error) {
    failed(error, log);
    await doLastActs();
  }
}

/** The program, and the handler of words that are none of its commands. */
interface Commands {
  readonly program: Command;
  readonly otherwise: (words: readonly string[]) => Promise<void> | undefined;
}

/** @throws what `failed` reports */
async function runWords({ program, otherwise }: Commands, words: readonly string[]): Promise<void> {
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

/**
 * Reports why a command failed, and sets the exit code of its terminal.
 *
 * @param log of the service; undefined: for people
 */
function failed(error: unknown, log?: Logger): void {
  if (error instanceof CommanderError) {
    terminal().exitCode = error.exitCode === 0 ? 0 : 2;
  } else if (errorCode(error) !== 'EPIPE') {
    reportFailure(fileRefused(error), log);
    terminal().exitCode = error instanceof CommandMisused ? 2 : 1;
  }
}

/** Prepares a command in a running application, at a terminal that is another one's. */
async function prepareIn(
  running: WithApp,
  words: readonly string[],
): Promise<(() => Promise<void>) | null> {
  const commands = await allCommands({}, running);
  return needsOwnProcess(commands.program, words)
    ? null
    : () => runWords(commands, words).catch((error: unknown) => failed(error));
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

/**
 * The program with the commands of enabled parts.
 *
 * @param application in which they work; a new one by default
 */
export async function allCommands(
  output: OutputConfiguration = {},
  application: WithApp = withApp,
): Promise<Commands> {
  const program = new Command('gatefold')
    .description('Self-hosted feed reader service and external-app gateway')
    .version(GATEFOLD_VERSION)
    .showHelpAfterError()
    .configureOutput({
      writeOut: (text) => terminal().stdout.write(text),
      writeErr: (text) => terminal().stderr.write(text),
      ...output,
    })
    .configureHelp(helpFor(terminal().stdout.columns))
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
  registerServeCommand(program, prepareIn);
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
    register(program, application, others);
  }
  arrangeHelp(program);
  return {
    program: program.showHelpAfterError('"gatefold list" shows all commands.'),
    otherwise: (words: readonly string[]) =>
      takers.map((take) => take(words)).find((taken) => taken !== undefined),
  };
}
