import { describe, expect, it } from '@jest/globals';
import type {
  AvailableType,
  TaskProvider,
} from '../../../src/app-api/task-processing/providers/task-catalogue.service.js';
import {
  checkValues,
  inputSlots,
  outputSlots,
  type Slots,
} from '../../../src/app-api/task-processing/queue/check-values.js';
import { InvalidTaskInput } from '../../../src/app-api/task-processing/task-processing.errors.js';
import {
  SLOT_TYPE_NUMBERS,
  type Shape,
  type SlotType,
} from '../../../src/app-api/task-processing/types/task-type.js';
import { Random } from '../../support/histories/random.js';

const TYPES = Object.keys(SLOT_TYPE_NUMBERS) as SlotType[];

const shape = (types: Readonly<Record<string, SlotType>>): Shape =>
  Object.fromEntries(
    Object.entries(types).map(([key, type]) => [key, { name: key, description: '', type }]),
  );

const slotsOf = (
  required: Readonly<Record<string, SlotType>>,
  rest: Partial<Slots> = {},
): Slots => ({
  required: shape(required),
  optional: {},
  enumValues: {},
  defaults: {},
  ...rest,
});

describe('values of slots', () => {
  it('keeps what fits, and drops keys without a slot', () => {
    const slots = slotsOf({ input: 'Text', count: 'Number', images: 'ListOfImages' });

    expect(checkValues(slots, { input: 'sea', count: 2, images: [7, 8, 7], mood: 'calm' })).toEqual(
      { values: { input: 'sea', count: 2, images: [7, 8, 7] }, fileIds: [7, 8] },
    );
  });

  it('takes numbers and ids of files as texts', () => {
    const slots = slotsOf({ count: 'Number', file: 'File' });

    expect(checkValues(slots, { count: ' 1.5e1', file: '1000000000001' })).toEqual({
      values: { count: 15, file: 1_000_000_000_001 },
      fileIds: [1_000_000_000_001],
    });
  });

  it('fills in defaults of texts, numbers and enums, never of files', () => {
    const optional = shape({ tone: 'Enum' });
    const enumValues = { tone: [{ name: 'Friendly', value: 'friendly' }] };
    const defaults = { count: 3, tone: 'friendly', file: 12 };

    expect(
      checkValues(slotsOf({ count: 'Number' }, { optional, enumValues, defaults }), {
        count: null,
      }),
    ).toEqual({ values: { count: 3, tone: 'friendly' }, fileIds: [] });
    expect(() => checkValues(slotsOf({ file: 'File' }, { defaults }), {})).toThrow(
      'The value of "file" is missing.',
    );
  });

  it.each<[SlotType, unknown, string]>([
    ['Text', 5, 'must be a text'],
    ['Number', 'five', 'must be a number'],
    ['Number', true, 'must be a number'],
    ['Number', '', 'must be a number'],
    ['Image', 'a.png', 'must be the id of a file'],
    ['Image', 1.5, 'must be the id of a file'],
    ['Image', -1, 'must be the id of a file'],
    ['File', [1], 'must be the id of a file'],
    ['ListOfFiles', 1, 'must be a list'],
    ['ListOfTexts', ['a', 1], 'must be a text'],
    ['ListOfTexts', [null], 'must be a text'],
    ['Enum', 'blue', 'must be one of the values that the provider offers'],
    ['Enum', 1, 'must be a text'],
  ])('refuses for %s the value %j and names the slot', (type, value, rule) => {
    const enumValues = { sail: [{ name: 'Red', value: 'red' }] };

    expect(() => checkValues(slotsOf({ sail: type }, { enumValues }), { sail: value })).toThrow(
      `The value of "sail" ${rule}.`,
    );
  });

  it('limits texts and lists', () => {
    expect(() => checkValues(slotsOf({ a: 'Text' }), { a: 'a'.repeat(1_000_001) })).toThrow(
      'The value of "a" must have at most 1000000 characters.',
    );
    expect(() => checkValues(slotsOf({ a: 'ListOfNumbers' }), { a: Array(1001).fill(1) })).toThrow(
      'The value of "a" must have at most 1000 entries.',
    );
  });

  it('limits all values together', () => {
    const values = { a: '\u0001'.repeat(400_000) };

    expect(() => checkValues(slotsOf({ a: 'Text' }), values)).toThrow('more than 2097152 bytes');
  });

  it('knows slots with the names of inherited properties only if they are declared', () => {
    const values = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}');

    expect(checkValues(slotsOf({}), values).values).toEqual({});
    expect(() => checkValues(slotsOf(JSON.parse('{"constructor": "Text"}')), {})).toThrow(
      '"constructor"',
    );
    const declared = checkValues(slotsOf(JSON.parse('{"__proto__": "Text"}')), values);
    expect(Object.entries(declared.values)).toEqual([['__proto__', 'a']]);
  });

  it('are what was sent, or refused, in a thousand generated cases', () => {
    for (let seed = 0; seed < 1000; seed += 1) {
      const random = new Random(seed);
      const slots = anySlots(random);
      const sent = anyValues(random, slots);
      const expected = modelOf(slots, sent);
      const outcome = outcomeOf(slots, sent);

      expect({ seed, outcome }).toEqual({ seed, outcome: expected });
      // What was checked once passes unchanged.
      expect(outcomeOf(slots, expected?.values ?? sent)).toEqual(expected);
    }
  });
});

describe('slots of a type and its provider', () => {
  const provider: TaskProvider = {
    id: 'p',
    appId: 'app',
    name: 'P',
    typeId: 't',
    expectedSeconds: 0,
    optionalInputShape: shape({ model: 'Enum' }),
    optionalOutputShape: shape({ tokens: 'Number' }),
    inputEnumValues: { language: [{ name: 'German', value: 'de' }] },
    optionalInputEnumValues: { model: [{ name: 'Small', value: 's' }] },
    outputEnumValues: {},
    optionalOutputEnumValues: {},
    inputDefaults: { language: 'de' },
    optionalInputDefaults: { model: 's' },
  };
  const available = (enums: Partial<TaskProvider> = {}): AvailableType => ({
    type: {
      id: 't',
      name: 'T',
      description: '',
      inputShape: shape({ language: 'Enum' }),
      outputShape: shape({ mood: 'Enum' }),
      isInternal: false,
    },
    provider: { ...provider, ...enums },
  });

  it('of the input have the values and defaults of the provider', () => {
    const slots = inputSlots(available());

    expect(checkValues(slots, {}).values).toEqual({ language: 'de', model: 's' });
    expect(() => checkValues(slots, { language: 'xx' })).toThrow('"language"');
  });

  it('of the input accept no enum for which the provider has no values', () => {
    const slots = inputSlots(available({ inputEnumValues: {}, inputDefaults: {} }));

    expect(() => checkValues(slots, { language: 'de' })).toThrow('"language" must be one of');
  });

  it('of the output accept any text for an enum without values, and may leave optional ones out', () => {
    expect(checkValues(outputSlots(available()), { mood: 'calm' }).values).toEqual({
      mood: 'calm',
    });
    expect(() =>
      checkValues(
        outputSlots(available({ outputEnumValues: { mood: [{ name: 'Wild', value: 'wild' }] } })),
        { mood: 'calm', tokens: 4 },
      ),
    ).toThrow('"mood"');
  });
});

function anySlots(random: Random): Slots {
  const types = () =>
    shape(
      Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e']
          .filter(() => random.chance(0.4))
          .map((key) => [key, random.pick(TYPES) ?? 'Text']),
      ),
    );
  const [required, optional] = [types(), types()];
  const all = { ...optional, ...required };
  const defaults = Object.fromEntries(
    Object.entries(all).flatMap(([key, { type }]) =>
      random.chance(0.3) && ['Text', 'Number', 'Enum'].includes(type)
        ? [[key, type === 'Number' ? 4 : 'red']]
        : [],
    ),
  );
  const values = [
    { name: 'Red', value: 'red' },
    { name: 'Blue', value: 'blue' },
  ];
  const enumValues = Object.fromEntries(
    Object.keys(all).flatMap((key) => (random.chance(0.7) ? [[key, values]] : [])),
  );
  return { required, optional, enumValues, defaults };
}

function anyValues(random: Random, slots: Slots): Record<string, unknown> {
  return Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'stray'].flatMap((key) =>
      random.chance(0.8) ? [[key, anyValue(random, typeOf(slots, key))]] : [],
    ),
  );
}

type Outcome = ReturnType<typeof checkValues> | null;

/** Null if they are refused with a message that names a slot. */
function outcomeOf(slots: Slots, sent: Readonly<Record<string, unknown>>): Outcome {
  try {
    const { values, fileIds } = checkValues(slots, sent);
    return { values, fileIds: fileIds.toSorted((x, y) => x - y) };
  } catch (error) {
    if (error instanceof InvalidTaskInput && /^The value of "[a-e]" /.test(error.message)) {
      return null;
    }
    throw error;
  }
}

/** The rules, once more in plain form. */
function modelOf(slots: Slots, sent: Readonly<Record<string, unknown>>): Outcome {
  const all = Object.entries({ ...slots.optional, ...slots.required });
  const values = Object.fromEntries(
    all.flatMap(([key]) => {
      const value = sent[key] ?? slots.defaults[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
  const isComplete = Object.keys(slots.required).every((key) => key in values);
  const fit = Object.entries(values).every(([key, value]) =>
    fits(slots, key, typeOf(slots, key), value),
  );
  const named = Object.entries(values).flatMap(([key, value]) =>
    isOfFiles(typeOf(slots, key)) ? ([value].flat() as number[]) : [],
  );
  return isComplete && fit
    ? { values, fileIds: [...new Set(named)].toSorted((x, y) => x - y) }
    : null;
}

function typeOf(slots: Slots, key: string): SlotType {
  return (slots.required[key] ?? slots.optional[key])?.type ?? 'Text';
}

function isOfFiles(type: SlotType): boolean {
  return /Image|Audio|Video|File/.test(type);
}

/** Mostly one that fits. */
function anyValue(random: Random, type: SlotType): unknown {
  if (random.chance(0.15)) {
    return random.pick([null, true, {}, [], 'green', -3, Number.NaN, [[1]]]);
  }
  if (type.startsWith('ListOf')) {
    const single = type.slice('ListOf'.length, -1) as SlotType;
    return Array.from({ length: random.below(4) }, () => anyValue(random, single));
  }
  if (isOfFiles(type)) {
    return 1 + random.below(5);
  }
  return type === 'Number' ? random.next() : random.pick(['red', 'blue', 'yellow']);
}

function fits(slots: Slots, key: string, type: SlotType, value: unknown): boolean {
  if (type.startsWith('ListOf')) {
    const single = type.slice('ListOf'.length, -1) as SlotType;
    return Array.isArray(value) && value.every((entry) => fits(slots, key, single, entry));
  }
  if (isOfFiles(type)) {
    return Number.isInteger(value) && (value as number) > 0;
  }
  if (type === 'Number') {
    return Number.isFinite(value);
  }
  const offered = slots.enumValues[key];
  return (
    typeof value === 'string' &&
    (type === 'Text' || offered === undefined || offered.some((one) => one.value === value))
  );
}
