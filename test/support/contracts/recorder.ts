import type { INestApplication } from '@nestjs/common';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { API_DOCUMENTS } from '../../../src/api-documents.js';
import {
  methodsOf,
  placeOf,
  type OpenApi,
  type OpenApiOperation,
  type OpenApiResponse,
} from '../../../src/common/contracts/open-api.js';
import { faultOfTarget } from '../../../src/common/http/request-target.js';
import { handlersOf, strictDocuments } from './documented.js';

/** What a client sent and got. */
export interface Exchange {
  readonly method: string;
  /** With the query, without the address of the service. */
  readonly target: string;
  /** The body as sent; undefined without one, and if it is not JSON. */
  readonly sent: unknown;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

interface KnownRoute {
  /** In upper case; `ALL` for any. */
  readonly method: string;
  readonly pattern: RegExp;
  /** By method, in lower case; null for a route that is in no document. */
  readonly operations: Readonly<Record<string, OpenApiOperation>> | null;
  readonly document: OpenApi | null;
}

/** By address of the service. */
const prefixes = new Map<string, string>();

/** The same in every application of a process. */
let known: readonly KnownRoute[] | null = null;

/** Compares what clients of this service get with the documents, until `forget`. */
export function record(url: string, app: INestApplication, prefix: string): void {
  prefixes.set(url, prefix);
  known ??= routesOf(app);
}

export function forget(url: string): void {
  prefixes.delete(url);
}

/** @throws Error if an answer is not as documented; see docs/decisions/0058 */
export function compare(url: string, exchange: Exchange): void {
  const prefix = prefixes.get(new URL(url).origin);
  if (prefix === undefined || known === null) {
    return;
  }
  const problem = problemOf(exchange, prefix, known);
  if (problem !== null) {
    const { method, target, status } = exchange;
    throw new Error(
      `${method} ${target} answered ${status}, not as documented: ${problem}. ` +
        'Mend the answer, or the schema in @Operation of its handler (CONTRIBUTING.md, "How to add a route").',
    );
  }
}

function routesOf(app: INestApplication): readonly KnownRoute[] {
  const handlers = handlersOf(app);
  const documents = strictDocuments(handlers);
  return handlers.map((handler) => {
    const place = placeOf(handler, API_DOCUMENTS);
    const document =
      place.in === 'document'
        ? (documents[API_DOCUMENTS.documents.indexOf(place.document)] ?? null)
        : null;
    const path = place.in === 'document' ? place.path.replace(/[:*](\w+)/g, '{$1}') : '';
    const [only = ''] = methodsOf(handler);
    return {
      method: handler.method === 'ALL' ? 'ALL' : only.toUpperCase(),
      pattern: patternOf(handler.path),
      operations: document?.paths[path] ?? null,
      document,
    };
  });
}

/** As the router matches it. */
function patternOf(path: string): RegExp {
  const pattern = path
    .replace(/[.+()|^$]/g, '\\$&')
    .replace(/\{\/\*\w+\}/g, '(?:/.*)?')
    .replace(/\*\w+/g, '.+')
    .replace(/:\w+/g, '[^/]+');
  return new RegExp(`^${pattern}/?$`, 'i');
}

function problemOf(
  exchange: Exchange,
  prefix: string,
  routes: readonly KnownRoute[],
): string | null {
  const { method, target, status } = exchange;
  if (faultOfTarget(target, () => false) !== null) {
    // Refused before there is a route.
    return null;
  }
  const [whole = ''] = target.split('?');
  const path = whole
    .slice(whole.startsWith(`${prefix}/`) ? prefix.length : 0)
    .replace(/^\/index\.php(?=\/)/, '');
  const route = routes.find(
    (one) => (one.method === method || one.method === 'ALL') && one.pattern.test(path),
  );
  const operation = route?.operations?.[method.toLowerCase()];
  if (!route?.document || operation === undefined) {
    return null;
  }
  const response =
    operation.responses[status] ?? (status >= 400 ? operation.responses['default'] : undefined);
  if (response === undefined) {
    return `the document knows no status ${status}`;
  }
  // Below the first root of OCS, failures have the status 200.
  const isFailure = /"status":"failure"|<status>failure/.test(exchange.text.slice(0, 200));
  return (
    problemOfBody(
      exchange,
      isFailure ? operation.responses['default'] : response,
      route.document,
    ) ?? (status < 300 && !isFailure ? problemOfRequest(exchange, operation) : null)
  );
}

function problemOfBody(
  { status, contentType, text }: Exchange,
  response: OpenApiResponse | undefined,
  document: OpenApi,
): string | null {
  if (status >= 400 && text === '') {
    return null;
  }
  const type = contentType.split(';')[0]?.trim() ?? '';
  if (response?.content === undefined) {
    return text === '' ? null : 'the document knows no body';
  }
  const media = Object.entries(response.content).find(
    ([known]) =>
      known === '*/*' ||
      known === type ||
      (known.endsWith('/*') && type.startsWith(known.slice(0, -1))),
  );
  if (media === undefined) {
    return `the document knows ${Object.keys(response.content).join(', ')}, not ${type || 'a body without a type'}`;
  }
  const { schema } = media[1];
  if (type !== 'application/json' || schema === undefined) {
    return null;
  }
  const validate = validatorOf(schema, document);
  return validate(JSON.parse(text)) ? null : explained(validate);
}

/** What a handler took has all parameters that the document calls required. */
function problemOfRequest({ target, sent }: Exchange, operation: OpenApiOperation): string | null {
  const { parameters, requestBody } = operation;
  const inBody = requestBody?.content['application/json']?.schema['required'] as
    | string[]
    | undefined;
  const required = [
    ...parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => name),
    ...(inBody ?? []),
  ];
  if (required.length === 0 || sent === undefined) {
    return null;
  }
  const given = new Set(
    [...new URLSearchParams(target.split('?')[1] ?? '').keys(), ...Object.keys(sent ?? {})].map(
      (name) => inCamelCase(name.replace('[]', '')),
    ),
  );
  const missing = required.filter((name) => !given.has(inCamelCase(name)));
  return missing.length === 0
    ? null
    : `the parameter "${missing.join('", "')}" is documented as required, and was not sent`;
}

/** Parameters of the gateway have two spellings. */
function inCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new WeakMap<object, ValidateFunction>();

/** Compiled at its first use. */
function validatorOf(schema: object, { components }: OpenApi): ValidateFunction {
  const present = validators.get(schema);
  if (present !== undefined) {
    return present;
  }
  const validate = ajv.compile({ ...schema, components });
  validators.set(schema, validate);
  return validate;
}

function explained({ errors }: ValidateFunction): string {
  return (errors ?? [])
    .slice(0, 3)
    .map(({ instancePath, message, params }) => {
      const extra = (params as { additionalProperty?: string }).additionalProperty;
      return `${instancePath || 'the body'} ${message}${extra === undefined ? '' : ` ("${extra}")`}`;
    })
    .join('; ');
}
