import type { CommandArgument, CommandOption } from './command-inputs.js';
import type { CommandDefinition } from './command-line.js';
import { table } from '../../common/command-line/say.js';

/** What `--help` prints for a command of an app. */
export function commandHelp(
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
