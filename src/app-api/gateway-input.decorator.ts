import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { z } from 'zod';
import { describedInput } from '../common/http/described-inputs.js';
import { readInput } from '../common/http/input.decorator.js';

/**
 * `@Input` for the gateway, where every parameter has two spellings: `actionHandler` and
 * `action_handler`. Schemas use camelCase, which wins if an app sends both.
 */
export function GatewayInput(schema: z.ZodType): ParameterDecorator {
  const factory = (_data: unknown, context: ExecutionContext) =>
    readInput(schema, context, inCamelCase);
  return createParamDecorator(describedInput(factory, { schema, from: 'anywhere' }))();
}

/** Top-level names only; nested values belong to the app. */
function inCamelCase(input: Record<string, unknown>): Record<string, unknown> {
  const renamed = Object.entries(input).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return { ...Object.fromEntries(renamed), ...input };
}
