import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { z } from 'zod';
import { gatherInput, parseInput, requestWithBody } from '../common/http/input.decorator.js';

/**
 * `@Input` for the gateway, where every parameter has two names: the specification mixes
 * `actionHandler` with `action_handler`, and apps send either for both. Schemas are written in
 * camelCase; when an app sends both names, that one counts.
 */
export function GatewayInput(schema: z.ZodType): ParameterDecorator {
  return createParamDecorator(async (_data: unknown, context: ExecutionContext) =>
    parseInput(schema, inCamelCase(gatherInput(await requestWithBody(context)))),
  )();
}

/** The outermost names only: what is inside a value belongs to the app. */
function inCamelCase(input: Record<string, unknown>): Record<string, unknown> {
  const renamed = Object.entries(input).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return { ...Object.fromEntries(renamed), ...input };
}
