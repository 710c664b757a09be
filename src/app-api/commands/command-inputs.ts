import type { OccCommandFields, SentConsoleInput } from '../capabilities/occ-command.js';

/** An argument of a command, in the console's terms. */
export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** Takes all the words that are left; the last argument only. */
  readonly isArray: boolean;
  /** What is passed when it is not given; null without a default. */
  readonly defaultValue: unknown;
}

/** An option of a command, in the console's terms. */
export interface CommandOption {
  readonly name: string;
  /** One letter without the dash; null when there is none. */
  readonly shortcut: string | null;
  readonly description: string;
  /** Whether a value must, may or cannot follow. */
  readonly value: 'required' | 'optional' | 'none';
  /** May be given several times. */
  readonly isArray: boolean;
  /** May be given as `--no-name` too. */
  readonly isNegatable: boolean;
  readonly defaultValue: unknown;
}

/** Apps write modes alone or joined by commas, and leave out what they have no use for. */
export function commandArguments(
  command: Pick<OccCommandFields, 'arguments'>,
): readonly CommandArgument[] {
  return command.arguments.map((sent) => {
    const modes = modesOf(sent);
    return {
      name: sent.name,
      description: textOf(sent['description']),
      // Whoever writes neither means a word that may be left out.
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

/** An option that can be given several times has nothing to give but values. */
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
