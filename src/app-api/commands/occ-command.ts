import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { byName, type Capability, identityOf } from '../capabilities/capability.js';
import { flag, handler, name, text, UNLIMITED } from '../field-schemas.js';

const consoleInputs = orElse(
  z.array(z.looseObject({ name: name(64) }, { error: 'must be an object with a name' }), {
    error: 'must be a list',
  }),
  [],
);

const input = z.object({
  name: name(64),
  description: orElse(text(255), ''),
  hidden: orElse(flag, false),
  // Stored as sent: apps compare the stored value. `console-inputs.ts` interprets them.
  arguments: consoleInputs,
  options: consoleInputs,
  usages: orElse(z.array(text(UNLIMITED), { error: 'must be a list of texts' }), []),
  executeHandler: handler(410),
});

export type OccCommandFields = z.output<typeof input>;

/** An argument or option as the app sent it. */
type SentConsoleInput = OccCommandFields['arguments'][number];

/** A command of the host's command line that the app executes. */
export const OCC_COMMAND: Capability<OccCommandFields> = {
  kind: 'occ_command',
  routes: ['v1/occ_command'],
  input,
  keyInput: byName(64),
  keyOf: (fields) => fields.name,
  warningsOf,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    name: fields.name,
    description: fields.description,
    hidden: Number(fields.hidden),
    arguments: fields.arguments,
    options: fields.options,
    usages: fields.usages,
    execute_handler: fields.executeHandler,
  }),
  missing: 'No such command',
};

/** An argument of a command, as in the Symfony console. */
export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** Takes all remaining words; the last argument only. */
  readonly isArray: boolean;
  /** Null without a default. */
  readonly defaultValue: unknown;
}

/** An option of a command, as in the Symfony console. */
export interface CommandOption {
  readonly name: string;
  /** Letter without the dash; null if there is none. */
  readonly shortcut: string | null;
  readonly description: string;
  /** Whether it takes a value. */
  readonly value: 'required' | 'optional' | 'none';
  /** Can be repeated. */
  readonly isArray: boolean;
  /** Whether `--no-name` is accepted too. */
  readonly isNegatable: boolean;
  readonly defaultValue: unknown;
}

/** Interprets the apps' input: modes are combined with commas or bars, and most fields are optional. */
export function commandArguments(
  command: Pick<OccCommandFields, 'arguments'>,
): readonly CommandArgument[] {
  return command.arguments.map((sent) => {
    const modes = modesOf(sent);
    return {
      name: sent.name,
      description: textOf(sent['description']),
      // Optional unless required.
      isRequired: modes.has('required'),
      isArray: modes.has('array'),
      defaultValue: modes.has('required') ? null : (sent['default'] ?? null),
    };
  });
}

/** @see commandArguments */
export function commandOptions(
  command: Pick<OccCommandFields, 'options'>,
): readonly CommandOption[] {
  return command.options.map((sent) => {
    const modes = modesOf(sent);
    const value = valueOf(modes);
    return {
      name: sent.name.replace(/^-+/, ''),
      shortcut: textOf(sent['shortcut']).replace(/^-+/, '') || null,
      description: textOf(sent['description']),
      value,
      isArray: modes.has('array'),
      isNegatable: modes.has('negatable'),
      defaultValue: sent['default'] ?? null,
    };
  });
}

/** An array option always takes a value. */
function valueOf(modes: ReadonlySet<string>): CommandOption['value'] {
  if (modes.has('optional')) {
    return 'optional';
  }
  return modes.has('required') || modes.has('array') ? 'required' : 'none';
}

function modesOf(sent: SentConsoleInput): ReadonlySet<string> {
  const words = textOf(sent['mode'])
    .toLowerCase()
    .split(/[\s,|]+/);
  return new Set(words.filter(Boolean));
}

/** The name of a command that no other app can have. */
export function ownNameOf(appId: string, name: string): string {
  return name.startsWith(`${appId}:`) ? name : `${appId}:${name}`;
}

const ARGUMENT_MODES = ['required', 'optional', 'array'];
const OPTION_MODES = [...ARGUMENT_MODES, 'none', 'negatable'];

function warningsOf(command: OccCommandFields, appId: string): string[] {
  const own = ownNameOf(appId, command.name);
  const known = commandArguments(command);
  const unknownModes = (inputs: readonly SentConsoleInput[], modes: readonly string[]) =>
    inputs.flatMap((sent) =>
      [...modesOf(sent)]
        .filter((mode) => !modes.includes(mode))
        .map((mode) => `"${sent.name}" has no mode "${mode}"; there are ${modes.join(', ')}.`),
    );
  return [
    ...(own === command.name ? [] : [`Only "${own}" is certain to be the name of this command.`]),
    ...unknownModes(command.arguments, ARGUMENT_MODES),
    ...unknownModes(command.options, OPTION_MODES),
    ...known
      .filter(
        ({ isRequired }, place) =>
          known.slice(0, place).some((before) => before.isArray) ||
          (isRequired && known.slice(0, place).some((before) => !before.isRequired)),
      )
      .map(({ name }) => `"${name}" must not stand behind a list, or required behind optional.`),
  ].map((warning) => `The command "${command.name}": ${warning}`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
