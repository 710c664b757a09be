import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { gatherInput, parseInput } from './input.decorator.js';

describe('gatherInput', () => {
  it('lets the body win over the query, and placeholders over both', () => {
    const input = gatherInput({
      query: { a: 'query', b: 'query', id: 'query' },
      body: { b: 'body', id: 'body' },
      params: { id: 'placeholder' },
    });

    expect(input).toEqual({ a: 'query', b: 'body', id: 'placeholder' });
  });

  it.each([undefined, null, 'text', 5, ['a']])('takes nothing from the body %p', (body) => {
    expect(gatherInput({ query: { a: '1' }, body, params: {} })).toEqual({ a: '1' });
  });

  it('passes null on, for the schema to decide what it means', () => {
    expect(gatherInput({ query: { a: '1' }, body: { a: null }, params: {} })).toEqual({ a: null });
  });

  it('reads lists written the PHP way', () => {
    const input = gatherInput({ query: { 'ids[]': ['1', '2'], 'one[]': '3' }, params: {} });

    expect(input).toEqual({ ids: ['1', '2'], one: ['3'] });
  });

  it('is not led astray by a parameter called __proto__', () => {
    const body: unknown = JSON.parse('{"__proto__": {"isAdmin": true}}');

    expect(Reflect.get(gatherInput({ query: {}, body, params: {} }), 'isAdmin')).toBeUndefined();
  });
});

describe('parseInput', () => {
  const schema = z.object({
    name: z.string(),
    size: z.number({ error: 'must be a number of bytes' }).max(9, 'must be 9 or less').optional(),
    items: z.array(z.object({ feedId: z.number() })).optional(),
    kind: z.enum(['a', 'b']).optional(),
  });

  it('gives what the schema makes of it', () => {
    expect(parseInput(schema, { name: 'x', other: 1 })).toEqual({ name: 'x' });
  });

  it.each([
    [{}, 'The parameter "name" is missing.'],
    [{ name: 5 }, 'The parameter "name" must be of type string.'],
    [{ name: 'x', size: 10 }, 'The parameter "size" must be 9 or less.'],
    [
      { name: 'x', items: [{ feedId: 'y' }] },
      'The parameter "items.0.feedId" must be of type number.',
    ],
    [
      { name: 'x', kind: 'c' },
      'The parameter "kind" is not valid: Invalid option: expected one of',
    ],
  ])('refuses %j in a sentence that names the parameter', (input, sentence) => {
    expect(() => parseInput(schema, input)).toThrow(sentence);
  });

  it('says what all parameters together have to be', () => {
    const either = z.object({ a: z.string().optional() }).refine(({ a }) => a !== undefined, {
      error: 'must have an a or a b',
    });

    expect(() => parseInput(either, {})).toThrow('The parameters must have an a or a b.');
  });

  it('names every parameter at fault', () => {
    expect(() => parseInput(schema, { size: 10 })).toThrow(
      'The parameter "name" is missing. The parameter "size" must be 9 or less.',
    );
  });

  it('is a fault of the input, not of ours', () => {
    expect(() => parseInput(schema, {})).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});
