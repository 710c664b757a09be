import type { Command } from 'commander';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { commandArguments, commandOptions } from './command-inputs.js';
import { CommandExecutionService, type ExAppCommand } from './command-execution.service.js';
import { CommandFailed } from '../app-api.errors.js';
import { CommandLine, type CommandDefinition } from './command-line.js';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import { printable } from '../../common/texts/printable.js';
import { ConsoleMarkup } from './console-markup.js';
import { commandHelp } from './ex-app-command-help.js';
import { say, table } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';

/** The terminal or a replacement. */
type Output = Writable & { readonly isTTY?: boolean };

/** `list`: all commands, with those of external apps. */
export function registerListCommand(program: Command, withApp: WithApp): void {
  program
    .command('list')
    .description('list all commands, with those of the enabled external apps')
    .action(async () => {
      const commands = await withApp((get) => get(CommandExecutionService).list());
      const rows = commands
        .filter(({ fields }) => !fields.hidden)
        .map(({ fields }) => [`  ${fields.name}`, fields.description]);
      say(program.helpInformation());
      say(rows.length === 0 ? 'No commands of external apps.' : `External apps:\n${table(rows)}`);
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
 * @throws CommandRefused if no enabled app has such a command
 * @throws CommandLineInvalid
 * @throws CommandFailed
 */
export async function runExAppCommand(
  withApp: WithApp,
  words: readonly string[],
  output: Output = process.stdout,
): Promise<void> {
  const [first = '', ...following] = words;
  const [name = first, ...rest] = first === 'help' ? [...following, '--help'] : words;
  await withApp(async (get) => {
    const execution = get(CommandExecutionService);
    const command = (await execution.list()).find(({ fields }) => fields.name === name);
    if (command === undefined) {
      throw new CommandRefused(
        `No enabled external app has a command "${name}". "gatefold list" shows all commands.`,
      );
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

async function print(
  answer: AsyncIterable<Buffer>,
  { fields }: ExAppCommand,
  output: Output,
): Promise<void> {
  const markup = new ConsoleMarkup(output.isTTY ?? false);
  try {
    for await (const bytes of answer) {
      if (!output.write(markup.write(bytes))) {
        await once(output, 'drain');
      }
    }
  } catch {
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
