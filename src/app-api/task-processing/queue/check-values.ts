import type { AvailableType } from '../providers/task-catalogue.service.js';
import { InvalidTaskInput } from '../task-processing.errors.js';
import type { EnumValue, Shape, Slot, SlotType } from '../types/task-type.js';
import type { SlotValues } from './processing-task.entity.js';

/** Rules for checking values: shapes, enum values and defaults of type and provider. */
export interface Slots {
  readonly required: Shape;
  readonly optional: Shape;
  /** Enum values by slot; a slot of type Enum that has no list here accepts every text. */
  readonly enumValues: Readonly<Record<string, readonly EnumValue[]>>;
  /** Defaults by slot, for single texts, numbers and enums. */
  readonly defaults: Readonly<Record<string, string | number>>;
}

interface CheckedValues {
  /** Values of known slots only, with the defaults; numbers and ids are numbers. */
  readonly values: SlotValues;
  /** Ids in slots of files, each once. */
  readonly fileIds: readonly number[];
}

const LONGEST_TEXT = 1_000_000;
const LONGEST_LIST = 1000;
const MOST_BYTES = 2 * 1024 * 1024;

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

const FILE_TYPES: ReadonlySet<SlotType> = new Set(['Image', 'Audio', 'Video', 'File']);

/** A slot of type Enum for which the provider has no values accepts none. */
export function inputSlots({ type, provider }: AvailableType): Slots {
  const { inputShape: required } = type;
  const { optionalInputShape: optional } = provider;
  return {
    required,
    optional,
    enumValues: {
      ...noValues(required),
      ...noValues(optional),
      ...provider.optionalInputEnumValues,
      ...provider.inputEnumValues,
    },
    defaults: { ...provider.optionalInputDefaults, ...provider.inputDefaults },
  };
}

export function outputSlots({ type, provider }: AvailableType): Slots {
  return {
    required: type.outputShape,
    optional: provider.optionalOutputShape,
    enumValues: { ...provider.optionalOutputEnumValues, ...provider.outputEnumValues },
    defaults: {},
  };
}

/**
 * Checks the input or output of a task. Keys without a slot are dropped; null counts as absent.
 *
 * @throws InvalidTaskInput naming the slot
 */
export function checkValues(slots: Slots, values: SlotValues): CheckedValues {
  const fileIds = new Set<number>();
  const checked: [string, unknown][] = [];
  for (const [key, slot] of Object.entries({ ...slots.optional, ...slots.required })) {
    const isRequired = Object.hasOwn(slots.required, key);
    const value = own(values, key) ?? defaultOf(slots, key, slot);
    if (value !== undefined) {
      checked.push([key, checkSlot({ key, slot, enumValues: own(slots.enumValues, key) }, value)]);
      for (const id of fileIdsIn(slot.type, checked.at(-1)?.[1])) {
        fileIds.add(id);
      }
    } else if (isRequired) {
      throw new InvalidTaskInput(`The value of "${key}" is missing.`);
    }
  }
  const kept = Object.fromEntries(checked);
  if (Buffer.byteLength(JSON.stringify(kept)) > MOST_BYTES) {
    throw new InvalidTaskInput(`All values together have more than ${MOST_BYTES} bytes of JSON.`);
  }
  return { values: kept, fileIds: [...fileIds] };
}

interface Place {
  readonly key: string;
  readonly slot: Slot;
  readonly enumValues: readonly EnumValue[] | undefined;
}

function checkSlot(place: Place, value: unknown): unknown {
  const single = singleType(place.slot.type);
  if (single === place.slot.type) {
    return checkSingle(place, single, value);
  }
  if (!Array.isArray(value)) {
    throw refusal(place, 'must be a list');
  }
  if (value.length > LONGEST_LIST) {
    throw refusal(place, `must have at most ${LONGEST_LIST} entries`);
  }
  return value.map((entry: unknown) => checkSingle(place, single, entry));
}

function checkSingle(place: Place, type: SlotType, value: unknown): unknown {
  if (type === 'Number') {
    return numberIn(place, value);
  }
  if (FILE_TYPES.has(type)) {
    return fileIdIn(place, value);
  }
  if (typeof value !== 'string') {
    throw refusal(place, 'must be a text');
  }
  if (value.length > LONGEST_TEXT) {
    throw refusal(place, `must have at most ${LONGEST_TEXT} characters`);
  }
  const { enumValues } = place;
  if (type === 'Enum' && enumValues && !enumValues.some((possible) => possible.value === value)) {
    throw refusal(place, 'must be one of the values that the provider offers');
  }
  return value;
}

/** Numbers may be sent as texts. */
function numberIn(place: Place, value: unknown): number {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw refusal(place, 'must be a number');
  }
  return number;
}

function fileIdIn(place: Place, value: unknown): number {
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) {
    throw refusal(place, 'must be the id of a file');
  }
  return id;
}

function fileIdsIn(type: SlotType, value: unknown): readonly number[] {
  return FILE_TYPES.has(singleType(type)) ? ([value].flat() as number[]) : [];
}

/** Files and lists have no default. */
function defaultOf({ defaults }: Slots, key: string, { type }: Slot): string | number | undefined {
  return type === 'Text' || type === 'Number' || type === 'Enum' ? own(defaults, key) : undefined;
}

/** @returns the type itself unless it is a list */
function singleType(type: SlotType): SlotType {
  switch (type) {
    case 'ListOfNumbers':
      return 'Number';
    case 'ListOfTexts':
      return 'Text';
    case 'ListOfImages':
      return 'Image';
    case 'ListOfAudios':
      return 'Audio';
    case 'ListOfVideos':
      return 'Video';
    case 'ListOfFiles':
      return 'File';
    default:
      return type;
  }
}

function noValues(shape: Shape): Record<string, readonly EnumValue[]> {
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([, { type }]) => type === 'Enum')
      .map(([key]) => [key, []]),
  );
}

/** Keys are chosen by apps and may be names of inherited properties. */
function own<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

function refusal({ key }: Place, rule: string): InvalidTaskInput {
  return new InvalidTaskInput(`The value of "${key}" ${rule}.`);
}
