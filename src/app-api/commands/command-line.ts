import { CommandLineInvalid } from '../app-api.errors.js';
import type { CommandValues } from './command-execution.service.js';
import type { CommandArgument, CommandOption } from './occ-command.js';

/** Arguments and options of a command. */
export interface CommandDefinition {
  readonly name: string;
  readonly arguments: readonly CommandArgument[];
  readonly options: readonly CommandOption[];
}

/** Parses words as the Symfony console does. */
export class CommandLine {
  readonly #options = new Map<string, unknown>();
  readonly #words: string[] = [];

  private constructor(
    private readonly definition: CommandDefinition,
    private readonly left: string[],
  ) {}

  /**
   * @param words after the name of the command
   * @throws CommandLineInvalid naming the invalid or missing word
   */
  static read(definition: CommandDefinition, words: readonly string[]): CommandValues {
    const line = new CommandLine(definition, [...words]);
    line.#readAll();
    return { arguments: line.#argumentValues(), options: line.#optionValues() };
  }

  #readAll(): void {
    for (let word = this.left.shift(); word !== undefined; word = this.left.shift()) {
      if (word === '--') {
        this.#words.push(...this.left.splice(0));
      } else if (word.startsWith('--')) {
        this.#readLong(word.slice(2));
      } else if (word.startsWith('-') && word !== '-') {
        this.#readShort(word.slice(1));
      } else {
        this.#words.push(word);
      }
    }
  }

  /** `name`, `name=value`, `no-name`. */
  #readLong(text: string): void {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const option = this.definition.options.find((known) => known.name === name);
    if (option !== undefined) {
      this.#take(option, `--${name}`, value);
      return;
    }
    const negated = this.definition.options.find(
      (known) => known.isNegatable && `no-${known.name}` === name,
    );
    if (negated === undefined) {
      throw new CommandLineInvalid(`The "--${name}" option does not exist.`);
    }
    if (value !== undefined) {
      throw new CommandLineInvalid(`The "--${name}" option does not accept a value.`);
    }
    this.#options.set(negated.name, false);
  }

  /** `a`, `abc` for three options, `avalue` for one. */
  #readShort(text: string): void {
    const whole = this.#byShortcut(text);
    if (whole !== undefined) {
      this.#take(whole, `-${text}`, undefined);
      return;
    }
    const [letter = ''] = text;
    const rest = text.slice(letter.length);
    const option = this.#byShortcut(letter);
    if (option === undefined) {
      throw new CommandLineInvalid(`The "-${letter}" option does not exist.`);
    }
    if (option.value === 'none') {
      this.#take(option, `-${letter}`, undefined);
      this.#readShort(rest);
      return;
    }
    this.#take(option, `-${letter}`, rest);
  }

  #byShortcut(text: string): CommandOption | undefined {
    return this.definition.options.find(({ shortcut }) =>
      shortcut?.split('|').some((one) => one.replace(/^-+/, '').trim() === text),
    );
  }

  #take(option: CommandOption, typed: string, given: string | undefined): void {
    if (option.value === 'none') {
      if (given !== undefined) {
        throw new CommandLineInvalid(`The "${typed}" option does not accept a value.`);
      }
      this.#options.set(option.name, true);
      return;
    }
    const value = given ?? this.#nextValue();
    if (value === undefined && option.value === 'required') {
      throw new CommandLineInvalid(`The "${typed}" option requires a value.`);
    }
    const before = this.#options.get(option.name);
    this.#options.set(
      option.name,
      option.isArray ? [...(Array.isArray(before) ? before : []), value ?? null] : (value ?? null),
    );
  }

  #nextValue(): string | undefined {
    const [next] = this.left;
    return next === undefined || next.startsWith('-') ? undefined : this.left.shift();
  }

  #argumentValues(): CommandValues['arguments'] {
    const known = this.definition.arguments;
    const words = [...this.#words];
    const values = new Map<string, unknown>();
    const missing: string[] = [];
    for (const argument of known) {
      const given = argument.isArray ? words.splice(0) : words.splice(0, 1);
      if (given.length === 0 && argument.isRequired) {
        missing.push(argument.name);
      }
      values.set(argument.name, given.length === 0 ? absent(argument) : valueOf(argument, given));
    }
    if (words.length > 0) {
      throw new CommandLineInvalid(tooMany(this.definition, words));
    }
    if (missing.length > 0) {
      throw new CommandLineInvalid(`Not enough arguments (missing: "${missing.join(', ')}").`);
    }
    return known.length === 0 ? null : Object.fromEntries(values);
  }

  #optionValues(): CommandValues['options'] {
    const known = this.definition.options;
    const values = known.map((option) => [
      option.name,
      this.#options.has(option.name) ? this.#options.get(option.name) : unset(option),
    ]);
    return known.length === 0 ? null : (Object.fromEntries(values) as Record<string, unknown>);
  }
}

function valueOf({ isArray }: CommandArgument, given: readonly string[]): unknown {
  return isArray ? given : given[0];
}

function absent({ isArray, defaultValue }: CommandArgument): unknown {
  return isArray ? (defaultValue ?? []) : defaultValue;
}

function unset({ value, isArray, isNegatable, defaultValue }: CommandOption): unknown {
  if (isArray) {
    return defaultValue ?? [];
  }
  return value === 'none' && !isNegatable ? false : defaultValue;
}

function tooMany(definition: CommandDefinition, words: readonly string[]): string {
  const names = definition.arguments.map(({ name }) => `"${name}"`).join(' ');
  return names === ''
    ? `No arguments expected for "${definition.name}" command, got "${words[0]}".`
    : `Too many arguments, expected arguments ${names}.`;
}
