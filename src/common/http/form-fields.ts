import { PayloadTooLargeException } from '@nestjs/common';
import type { Turns } from '../turns.js';
import { piecesOfForm } from './form-pieces.js';

/** Suffices for the flags of ten thousand items in one form. */
const MOST_FIELDS = 20_000;
const MOST_NAMES = 2000;
const DEEPEST_NAME = 5;
/** Of all names together: ten thousand items are a list of objects. */
const MOST_KEYS = 2 * MOST_FIELDS;

/** `filter[rules][0]`: a name and bracketed keys. */
const NAME = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;
const LIST_INDEX = /^\d{1,9}$/;

type FieldValue = string | readonly FieldValue[] | { readonly [name: string]: FieldValue };

/** Values of one name. */
class Field {
  /** Made when they are needed: a large form has a hundred thousand fields in fields. */
  #texts: string[] | undefined;
  #inner: Map<string, Field> | undefined;
  #nextIndex = 0;

  add(text: string): void {
    (this.#texts ??= []).push(text);
  }

  /** @param name the bracketed key; empty for the next element of a list */
  inside(name: string): Field {
    const key = name === '' ? String(this.#nextIndex) : name;
    if (LIST_INDEX.test(key)) {
      this.#nextIndex = Math.max(this.#nextIndex, Number(key) + 1);
    }
    const inner = (this.#inner ??= new Map<string, Field>());
    const found = inner.get(key) ?? new Field();
    inner.set(key, found);
    return found;
  }

  value(): FieldValue {
    const texts = this.#texts ?? [];
    if (this.#inner === undefined) {
      return texts.length === 1 ? (texts[0] ?? '') : texts;
    }
    const inner = [...this.#inner];
    if (inner.every(([key]) => LIST_INDEX.test(key))) {
      const inOrder = inner.sort(([a], [b]) => Number(a) - Number(b));
      return [...texts, ...inOrder.map(([, field]) => field.value())];
    }
    return Object.fromEntries(inner.map(([key, field]) => [key, field.value()]));
  }
}

/** The fields of a form by name; names in brackets are nested. */
class NestedFields {
  readonly #fields = new Map<string, Field>();
  #keys = 0;

  /** @throws PayloadTooLargeException */
  add(pairs: Iterable<readonly [string, string]>): void {
    for (const [name, value] of pairs) {
      if (name !== '') {
        const path = pathOf(name);
        this.#keys += path.length - 1;
        if (this.#fields.size > MOST_NAMES || this.#keys > MOST_KEYS) {
          throw new PayloadTooLargeException(
            `The form has more than ${MOST_NAMES} names, or more than ${MOST_KEYS} keys in them.`,
          );
        }
        fieldAt(path, this.#fields).add(value);
      }
    }
  }

  values(): Record<string, FieldValue> {
    return Object.fromEntries([...this.#fields].map(([name, field]) => [name, field.value()]));
  }
}

/**
 * Parses a query in linear time. Repeated names, `name[]` and `name[0]` are lists; `name[key]` is an object.
 *
 * @param text percent-encoded, `a=1&b=2`
 * @throws PayloadTooLargeException for more than 20,000 fields, 2,000 names, or 40,000 keys in brackets
 */
export function parseQuery(text: string): Record<string, FieldValue> {
  const fields = new NestedFields();
  for (const pairs of piecesOfForm(text, MOST_FIELDS)) {
    fields.add(pairs);
  }
  return fields.values();
}

/** `parseQuery` of a form, in turns with other requests. */
export async function parseForm(text: string, turns: Turns): Promise<Record<string, FieldValue>> {
  const fields = new NestedFields();
  for (const pairs of piecesOfForm(text, MOST_FIELDS)) {
    fields.add(pairs);
    await turns.take();
  }
  return fields.values();
}

/** A name and the keys in brackets behind it. */
function pathOf(name: string): [name: string, ...keys: string[]] {
  const [, outer = name, brackets = ''] = NAME.exec(name) ?? [];
  const keys = brackets === '' ? [] : brackets.slice(1, -1).split('][');
  return keys.length > DEEPEST_NAME ? [name] : [outer, ...keys];
}

function fieldAt(
  [name, ...keys]: readonly [string, ...string[]],
  fields: Map<string, Field>,
): Field {
  const field = fields.get(name) ?? new Field();
  fields.set(name, field);
  return keys.reduce((at, key) => at.inside(key), field);
}
