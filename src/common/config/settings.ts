import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { ConfiguredPart } from './parts.js';

/**
 * A secret is not shown, and may be read from a file, named by the variable with `_FILE`; an address that may
 * name keys is not shown either. A setting needs another one to be given as well. Unless it has its default, it needs
 * one of several, and turns a part on.
 */
declare module 'zod' {
  interface GlobalMeta {
    readonly isSecret?: true;
    readonly mayNameKeys?: true;
    readonly needs?: string;
    readonly needsOneOf?: readonly string[];
    readonly turnsOn?: ConfiguredPart;
  }
}

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

type Property<Name, Prefix extends string> = Name extends `${Prefix}${infer Rest}`
  ? CamelCase<Rest>
  : CamelCase<Name & string>;

type Value<Schema extends z.ZodType> =
  | z.output<Schema>
  | (Schema extends z.ZodDefault ? never : undefined);

/** By the names of environment variables, each with its form, default, unit and meaning. */
export type SettingsShape = Readonly<Record<string, z.ZodType>>;

/** The class of the settings of a subject, see `settings`. */
export interface SettingsClass<Settings extends object = object> {
  readonly shape: SettingsShape;
  new (values: Readonly<Record<string, unknown>>): Settings;
  /** Sentences about valid settings that do not fit together. */
  faultsOf(settings: object): string[];
}

/**
 * The base of a class with the settings of a subject, which is injected. `GATEFOLD_TRASH_DAYS` is the property
 * `trashDays`; after the prefix `GATEFOLD_LDAP_`, `GATEFOLD_LDAP_USER_BASE` is `userBase`. What has no default
 * may be undefined.
 */
export function settings<Shape extends SettingsShape, Prefix extends string>(
  prefix: Prefix,
  shape: Shape,
) {
  const Settings = class {
    static readonly shape = shape;
    static readonly faultsOf = (_settings: object): string[] => [];

    constructor(values: Readonly<Record<string, unknown>>) {
      for (const name of Object.keys(shape)) {
        const words = name.slice(name.startsWith(prefix) ? prefix.length : 0).toLowerCase();
        const property = words.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
        Object.assign(this, { [property]: values[name] });
      }
    }
  };
  return Settings as unknown as SettingsClass<{
    readonly [Name in keyof Shape as Property<Name, Prefix>]: Value<Shape[Name]>;
  }>;
}

/** All settings of these classes. */
export function shapeOf(classes: readonly Pick<SettingsClass, 'shape'>[]): SettingsShape {
  return Object.assign({}, ...classes.map(({ shape }) => shape)) as SettingsShape;
}

export const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');

export const wholeNumber = (from: number, to: number) => {
  const rule = `must be a whole number from ${from} to ${to}`;
  return z.coerce.number(rule).int(rule).min(from, rule).max(to, rule);
};

export const text = z.string().min(1);

export const longText = (characters: number) =>
  z.string().min(characters, `must have at least ${characters} characters`);

export const list = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

export const isCidr = (text: string): boolean => ipaddr.isValidCIDR(text);

export const cidrList = list.refine(
  (cidrs) => cidrs.every(isCidr),
  'must be addresses in CIDR form, for instance 10.0.0.0/8',
);

/** `HTTPS://…` is as good, but code compares the beginning. */
export const withSmallScheme = (address: string): string =>
  address.replace(/^[A-Z]+(?=:)/i, (scheme) => scheme.toLowerCase());

export const httpAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .overwrite(withSmallScheme);

/** @param read throws an error with the rule that a text breaks */
export const readBy = <Value>(read: (text: string) => Value) =>
  z.string().transform((given, context): Value => {
    try {
      return read(given);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

/** Whether user and password of an address can be decoded. */
export function isPercentEncoded(address: string): boolean {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}
