import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { z } from 'zod';
import { InvalidInput } from '../errors/domain-error.js';
import { Turns } from '../turns.js';
import { describedInput } from './described-inputs.js';
import { inputBodiesOf } from './input-bodies.js';
import { largestBodyOf } from './largest-body.decorator.js';
import { isPlainNumber } from './loose-inputs.js';

/** The parameters of a request, parsed by a schema. */
export type In<Schema extends z.ZodType> = z.output<Schema>;

/**
 * Injects the parsed parameters of a request, from query, JSON body of any verb, or form. The body
 * overrides the query, route placeholders override both. `null` is kept, so that the schema decides
 * whether it means "absent".
 *
 * @throws InvalidInput naming each invalid parameter; also errors of `InputBodies`
 */
export function Input(schema: z.ZodType): ParameterDecorator {
  const factory = (_data: unknown, context: ExecutionContext) => readInput(schema, context);
  return createParamDecorator(describedInput(factory, { schema, from: 'anywhere' }))();
}

/**
 * Like `Input`, from the body alone: for secrets, which must not appear in logged addresses.
 *
 * @throws InvalidInput
 */
export function FormInput(schema: z.ZodType): ParameterDecorator {
  const factory = async (_data: unknown, context: ExecutionContext) =>
    parseInTurn(schema, plainNames((await requestWithBody(context)).body));
  return createParamDecorator(describedInput(factory, { schema, from: 'body' }))();
}

/** What `Input` injects. @param rename of parameters, before they are parsed */
export async function readInput<Schema extends z.ZodType>(
  schema: Schema,
  context: ExecutionContext,
  rename = (input: Record<string, unknown>) => input,
): Promise<z.output<Schema>> {
  const request = await requestWithBody(context);
  const input = await parseInTurn(schema, rename(gatherInput(request)));
  for (const [name, text] of Object.entries(request.params)) {
    // However lenient the schema is about numbers: an address names one thing.
    if (typeof Reflect.get(Object(input), name) === 'number' && !isPlainNumber(String(text))) {
      throw new InvalidInput(`The parameter "${name}" must be a whole number.`);
    }
  }
  return input;
}

/** The request with its body, which is read now, after the guards. */
export async function requestWithBody(context: ExecutionContext): Promise<Request> {
  const request = context.switchToHttp().getRequest<Request>();
  const largestBytes = largestBodyOf(context);
  await inputBodiesOf(request).read(request, { largestBytes, plainTextToo: true });
  return request;
}

/** Merges all parameters of a request. */
export function gatherInput(
  request: Pick<Request, 'query' | 'params'> & { readonly body?: unknown },
): Record<string, unknown> {
  return { ...plainNames(request.query), ...plainNames(request.body), ...request.params };
}

/** In a message: nobody reads those of a list of thousands. */
const MOST_FAULTS = 20;

export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: Record<string, unknown>,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) {
    return parsed.data;
  }
  const told = parsed.error.issues.slice(0, MOST_FAULTS);
  throw new InvalidInput(told.map((issue) => describe(issue, input)).join(' '));
}

/** Other requests run before the handler, if validating took long. */
async function parseInTurn<Schema extends z.ZodType>(
  schema: Schema,
  input: Record<string, unknown>,
): Promise<z.output<Schema>> {
  const turns = new Turns();
  const parsed = parseInput(schema, input);
  await turns.take();
  return parsed;
}

/** PHP-style clients send lists as `name[]=1&name[]=2`. */
function plainNames(bag: unknown): Record<string, unknown> {
  if (typeof bag !== 'object' || bag === null || Array.isArray(bag)) {
    return {};
  }
  return Object.fromEntries(
    Object.entries(bag).map(([name, value]: [string, unknown]) =>
      name.endsWith('[]')
        ? [name.slice(0, -2), Array.isArray(value) ? value : [value]]
        : [name, value],
    ),
  );
}

function describe(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.path.length === 0) {
    return continuesASentence(issue)
      ? `The parameters ${issue.message}.`
      : `The parameters are not valid: ${issue.message}.`;
  }
  const name = issue.path.map(String).join('.');
  // Null may be allowed.
  if ((valueAt(issue.path, input) ?? undefined) === undefined) {
    return `The parameter "${name}" is missing.`;
  }
  if (continuesASentence(issue)) {
    return `The parameter "${name}" ${issue.message}.`;
  }
  return issue.code === 'invalid_type'
    ? `The parameter "${name}" must be of type ${issue.expected}.`
    : `The parameter "${name}" is not valid: ${issue.message}.`;
}

/** Messages of our schemas do ("must be …"); the library's messages are whole sentences. */
function continuesASentence({ message }: z.core.$ZodIssue): boolean {
  return /^[a-z]/.test(message);
}

function valueAt(path: readonly PropertyKey[], input: unknown): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    input,
  );
}
