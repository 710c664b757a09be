import type { z } from 'zod';

/** Description of a parameter decorator's input. */
export interface DescribedInput {
  readonly schema: z.ZodType;
  /** `'body'` for secrets, which are never read from the query. */
  readonly from: 'anywhere' | 'body';
}

/** Keyed by factory of the parameter decorator, which Nest keeps in the metadata of handlers. */
const INPUTS = new WeakMap<object, DescribedInput>();

/** Records a factory's input for the API documents. @returns the factory */
export function describedInput<Factory extends object>(
  factory: Factory,
  input: DescribedInput,
): Factory {
  INPUTS.set(factory, input);
  return factory;
}

export function inputOf(factory: unknown): DescribedInput | undefined {
  return typeof factory === 'function' ? INPUTS.get(factory) : undefined;
}
