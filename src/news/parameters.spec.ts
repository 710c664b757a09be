import { describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { z } from 'zod';

/** Every integer parameter accepts at least one of these. */
const SAMPLES = [1, 60, 1000];

/** The parameters of a schema, below its refinements and transformations. */
function parametersOf(schema: unknown): [name: string, parameter: z.ZodType][] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as Record<string, z.ZodType>);
  }
  return schema instanceof z.ZodPipe ? parametersOf(schema.in) : [];
}

const isInteger = (parameter: z.ZodType) =>
  SAMPLES.some((sample) => typeof parameter.safeParse(String(sample)).data === 'number');

const files = await readdir(import.meta.dirname, { recursive: true });
const inputs = await Promise.all(
  files
    .filter((file) => file.endsWith('.input.ts') || file === 'parameters.ts')
    .map((file) => import(`./${file.replace(/\.ts$/, '.js')}`) as Promise<Record<string, unknown>>),
);

const INTEGERS = inputs.flatMap((schemas) =>
  Object.entries(schemas).flatMap(([schemaName, schema]) =>
    parametersOf(schema)
      .filter(([, parameter]) => isInteger(parameter))
      .map(([name, parameter]) => ({ parameter, of: `${schemaName}.${name}` })),
  ),
);

describe('an integer parameter', () => {
  it('is found in every schema that has one', () => {
    expect(INTEGERS.length).toBeGreaterThan(30);
    expect(INTEGERS.map(({ of }) => of)).toEqual(
      expect.arrayContaining([
        'ListItems.batchSize',
        'MoveFeed.folderId',
        'ReadAllUpTo.newestItemId',
      ]),
    );
  });

  describe.each(INTEGERS)('$of', ({ parameter }) => {
    it.each(['', ' ', 'null'])('reads the text %j as 0', (text) => {
      const { success, data } = parameter.safeParse(text);

      expect({ success, data }).toEqual({
        success: parameter.safeParse(0).success,
        data: parameter.safeParse(0).data,
      });
    });

    it.each(['abc', '1.5.2', 'undefined', '12 apples'])('rejects the text %j', (text) => {
      expect(parameter.safeParse(text).success).toBe(false);
    });
  });
});
