import type { Command } from 'commander';
import { once } from 'node:events';
import { AS_JSON, type AsJson, show, table } from '../../common/command-line/say.js';
import { terminal, type TerminalOutput } from '../../common/command-line/terminal.js';
import type { OtherApps, WithApp } from '../../common/command-line/with-app.js';
import { errorCode } from '../../common/http/outgoing-errors.js';
import { printable } from '../../common/texts/printable.js';
import { CommandFailed } from '../app-api.errors.js';
import { CommandExecutionService, type ExAppCommand } from './command-execution.service.js';
import { type CommandDefinition, CommandLine } from './command-line.js';
import { ConsoleMarkup } from './console-markup.js';
import {
  type CommandArgument,
  commandArguments,
  type CommandOption,
  commandOptions,
} from './occ-command.js';

/** The commands of external apps, and `list`: all commands, with these. */
export function registerExAppCommands(
  program: Command,
  withApp: WithApp,
  { otherwise }: OtherApps,
): void {
  otherwise((words) =>
    callsExApp(program, words) ? runExAppCommand(program, withApp, words) : undefined,
  );
  program
    .command('list')
    .description('list all commands, with those of the enabled external apps')
    .option(...AS_JSON)
    .action(async (options: AsJson) => {
      addExAppCommands(program, await withApp((get) => get(CommandExecutionService).list()));
      const listed = program.createHelp().visibleCommands(program);
      const commands = listed.map((one) => ({ name: one.name(), description: one.description() }));
      show(commands, options, () => program.helpInformation());
    });
}

/**
 * Whether the words call a command of an external app, or its help: their names have a colon, and
 * built-in commands take precedence.
 */
export function callsExApp(program: Command, words: readonly string[]): boolean {
  const name = words[0] === 'help' ? words[1] : words[0];
  return (
    name !== undefined &&
    /^[^-].*:/.test(name) &&
    program.commands.every((known) => known.name() !== name && !known.aliases().includes(name))
  );
}

/**
 * Executes a command of an app and prints its output as it arrives.
 *
 * @throws CommanderError if no enabled app has such a command
 * @throws CommandLineInvalid
 */
export async function runExAppCommand(
  program: Command,
  withApp: WithApp,
  words: readonly string[],
  output: TerminalOutput = terminal().stdout,
): Promise<void> {
  const [first = '', ...following] = words;
  const [name = first, ...rest] = first === 'help' ? [...following, '--help'] : words;
  await withApp(async (get) => {
    const execution = get(CommandExecutionService);
    const known = await execution.list();
    const command = known.find(({ fields }) => fields.name === name);
    if (command === undefined) {
      addExAppCommands(program, known);
      // Fails, and says which command may have been meant.
      program.parse([name], { from: 'user' });
      return;
    }
    const definition = definitionOf(command);
    if (asksForHelp(definition, rest)) {
      output.write(`${printable(commandHelp(definition, command.fields.usages))}\n`);
      return;
    }
    const answer = await execution.run(command, CommandLine.read(definition, rest));
    await print(answer, command, output);
  });
}

function addExAppCommands(program: Command, commands: readonly ExAppCommand[]): void {
  for (const { name, description, hidden } of commands.map(({ fields }) => fields)) {
    program
      .command(name, { hidden })
      .description(description)
      .helpGroup('Commands of external apps:');
  }
}

async function print(
  answer: AsyncIterable<Buffer>,
  { fields }: ExAppCommand,
  output: TerminalOutput,
): Promise<void> {
  const markup = new ConsoleMarkup(output.isTTY ?? false);
  try {
    for await (const bytes of answer) {
      if (output.errored) {
        throw output.errored;
      }
      if (!output.write(markup.write(bytes))) {
        await once(output, 'drain');
      }
    }
  } catch (error) {
    if (errorCode(error) === 'EPIPE') {
      throw error;
    }
    throw new CommandFailed(
      fields.name,
      'the app closed the connection before the command was finished.',
    );
  } finally {
    output.write(markup.end());
  }
}

function definitionOf({ fields }: ExAppCommand): CommandDefinition & { description: string } {
  return {
    name: fields.name,
    description: fields.description,
    arguments: commandArguments(fields),
    options: commandOptions(fields),
  };
}

/** Unless the command defines such an option itself. */
function asksForHelp({ options }: CommandDefinition, words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const before = end === -1 ? words : words.slice(0, end);
  const own = new Set(options.flatMap(({ name, shortcut }) => [`--${name}`, `-${shortcut}`]));
  return ['--help', '-h'].some((word) => before.includes(word) && !own.has(word));
}

/** The `--help` text of an app's command. */
function commandHelp(
  definition: CommandDefinition & { readonly description: string },
  usages: readonly string[],
): string {
  const { name, description } = definition;
  const lines = [synopsis(definition), ...usages.map((usage) => withName(usage, name))];
  return [
    section('Description:', description === '' ? [] : [description]),
    section('Usage:', lines),
    section('Arguments:', rows(definition.arguments.map(argumentRow))),
    section('Options:', rows([...definition.options.map(optionRow), HELP_ROW])),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

const HELP_ROW = ['-h, --help', 'Display this help'];

function synopsis({ name, arguments: known, options }: CommandDefinition): string {
  const words = known.map((argument) => {
    const word = `<${argument.name}>${argument.isArray ? '...' : ''}`;
    return argument.isRequired ? word : `[${word}]`;
  });
  return [
    name,
    options.length > 0 ? '[options]' : '',
    ...(words.length > 0 ? ['[--]'] : []),
    ...words,
  ]
    .filter((word) => word !== '')
    .join(' ');
}

function withName(usage: string, name: string): string {
  return usage.startsWith(name) ? usage : `${name} ${usage}`;
}

function argumentRow({ name, description, defaultValue }: CommandArgument): string[] {
  return [name, `${description}${shownDefault(defaultValue)}`];
}

function optionRow(option: CommandOption): string[] {
  const { name, shortcut, description, isArray, defaultValue } = option;
  const short = shortcut === null ? '    ' : `-${shortcut.replaceAll('|', '|-')}, `;
  const values = isArray ? ' (multiple values allowed)' : '';
  return [
    `${short}${longForm(option, name)}`,
    `${description}${shownDefault(defaultValue)}${values}`,
  ];
}

function longForm({ value, isNegatable }: CommandOption, name: string): string {
  if (isNegatable) {
    return `--${name}|--no-${name}`;
  }
  const word = name.toUpperCase();
  if (value === 'required') {
    return `--${name}=${word}`;
  }
  return value === 'optional' ? `--${name}[=${word}]` : `--${name}`;
}

function shownDefault(value: unknown): string {
  const isNothing = value === null || value === false || (Array.isArray(value) && !value.length);
  return isNothing ? '' : ` [default: ${JSON.stringify(value)}]`;
}

function rows(cells: readonly (readonly string[])[]): string[] {
  return cells.length === 0 ? [] : table(cells).split('\n');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines.map((line) => `  ${line}`)].join('\n');
}
