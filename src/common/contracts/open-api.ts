import type { ApiDocument, ApiDocuments, ErrorForm } from './api-document.js';
import { errorContent, OCS_META, ocsEnvelope } from './error-answers.js';
import {
  answerSchema,
  inputFields,
  type JsonSchema,
  type NamedSchemas,
  type ObjectFields,
} from './json-schema.js';
import { Media, type AnswerBody, type OperationNotes } from './operation.decorator.js';
import type { RoutedHandler } from './routed-handlers.js';
import { SECURITY_SCHEMES, type SecurityScheme } from './security-schemes.js';

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: object;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: object;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface OpenApiResponse {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}

export interface OpenApiOptions {
  readonly version: string;
  /** Path prefix of the service, or empty. */
  readonly prefix: string;
  /** Whether answers must have no other fields; for tests. */
  readonly strict?: boolean;
}

/** Place of a route in the documents. */
export type Place =
  | { readonly in: 'document'; readonly document: ApiDocument; readonly path: string }
  | { readonly in: 'left out'; readonly reason: string }
  | { readonly in: 'nothing' };

export function placeOf(route: RoutedHandler, all: ApiDocuments): Place {
  const handler = `${route.controller}.${route.name}`;
  const leftOut = all.leftOut.find(({ routes }) => routes.test(route.path) || routes.test(handler));
  if (leftOut !== undefined) {
    return { in: 'left out', reason: leftOut.reason };
  }
  for (const document of all.documents) {
    const path = document.pathOf(route.mainPath);
    if (path !== null) {
      return { in: 'document', document, path };
    }
  }
  return { in: 'nothing' };
}

export function openApiOf(
  document: ApiDocument,
  handlers: readonly RoutedHandler[],
  all: ApiDocuments,
  options: OpenApiOptions,
): OpenApi {
  const named: NamedSchemas = new Map();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const ids = new Set<string>();
  const tags = new Set<string>();
  const security = new Set<SecurityScheme>();
  for (const handler of handlers) {
    const place = placeOf(handler, all);
    if (place.in !== 'document' || place.document !== document) {
      continue;
    }
    const path = place.path.replace(/[:*](\w+)/g, '{$1}');
    for (const method of methodsOf(handler)) {
      const operations = (paths[path] ??= {});
      if (operations[method] !== undefined) {
        continue;
      }
      const tag = tagOf(handler.controller);
      tags.add(tag);
      const schemes = securityOf(handler, all);
      schemes.flat().forEach((scheme) => security.add(scheme));
      operations[method] = operationOf(handler, {
        path,
        method,
        tag,
        operationId: unusedId(ids, handler, path),
        schemes,
        errors: errorsOf(handler, path, document),
        named,
        strict: options.strict === true,
      });
    }
  }
  named.set('OcsMeta', OCS_META);
  return {
    openapi: '3.1.1',
    info: {
      title: document.title,
      version: options.version,
      description: document.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.prefix === '' ? '/' : options.prefix }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(named),
      securitySchemes: Object.fromEntries(
        [...security].map((scheme) => [scheme, SECURITY_SCHEMES[scheme]]),
      ),
    },
  };
}

function errorsOf({ notes }: RoutedHandler, path: string, document: ApiDocument): ErrorForm {
  return notes?.errorForm ?? (path.startsWith('/ocs/') ? 'ocs' : document.errors);
}

/** In lower case. */
export function methodsOf({ method, guards }: RoutedHandler): readonly string[] {
  return guards.includes('PutOrPostGuard') ? ['put', 'post'] : [method.toLowerCase()];
}

interface Context {
  readonly path: string;
  readonly method: string;
  readonly tag: string;
  readonly operationId: string;
  /** Alternatives; an empty one for callers without credentials. */
  readonly schemes: readonly (readonly SecurityScheme[])[];
  readonly errors: ErrorForm;
  readonly named: NamedSchemas;
  readonly strict: boolean;
}

function operationOf(handler: RoutedHandler, context: Context): OpenApiOperation {
  const { path, method, tag, operationId, schemes } = context;
  const notes = handler.notes ?? { summary: handler.name, answer: 'nothing' as const };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const fields = fieldsOf(handler, notes);
  const bodyOnly = handler.inputs.some(({ from }) => from === 'body');
  const inBody =
    notes.body === undefined && (bodyOnly || ['post', 'put', 'patch'].includes(method));
  const rest = Object.entries(fields.properties).filter(([name]) => !inPath.includes(name));
  return {
    operationId,
    summary: notes.summary,
    ...(notes.description === undefined ? {} : { description: notes.description }),
    tags: [tag],
    security: schemes.map((one) => Object.fromEntries(one.map((scheme) => [scheme, []]))),
    parameters: [
      ...inPath.map((name) => ({
        name,
        in: 'path' as const,
        required: true,
        schema: fields.properties[name] ?? { type: 'string' },
      })),
      ...(inBody ? [] : rest).map(([name, schema]) => ({
        name,
        in: 'query' as const,
        required: fields.required.includes(name),
        schema,
      })),
      ...(context.errors === 'ocs' ? [OCS_FORMAT] : []),
    ],
    ...bodyOf(notes, inBody ? rest : [], fields),
    responses: responsesOf(handler, notes, context),
  } as OpenApiOperation;
}

const OCS_FORMAT: OpenApiParameter = {
  name: 'format',
  in: 'query',
  required: false,
  schema: { type: 'string', enum: ['json', 'xml'], default: 'xml' },
};

function fieldsOf({ inputs }: RoutedHandler, { input }: OperationNotes): ObjectFields {
  const all = (input === undefined ? inputs.map(({ schema }) => schema) : [input]).map(inputFields);
  return {
    properties: Object.assign(
      {},
      ...all.map(({ properties }) => properties),
    ) as ObjectFields['properties'],
    required: all.flatMap(({ required }) => required),
  };
}

function bodyOf(
  { body }: OperationNotes,
  fields: readonly (readonly [string, JsonSchema])[],
  { required }: ObjectFields,
): object {
  if (body !== undefined) {
    const schema = { type: 'string', format: 'binary', description: body.description };
    return { requestBody: { required: true, content: { [body.type]: { schema } } } };
  }
  if (fields.length === 0) {
    return {};
  }
  const needed = fields.map(([name]) => name).filter((name) => required.includes(name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
  return {
    requestBody: {
      required: needed.length > 0,
      content: {
        'application/json': { schema },
        'application/x-www-form-urlencoded': { schema },
      },
    },
  };
}

function responsesOf(
  { status, guards }: RoutedHandler,
  notes: OperationNotes,
  context: Context,
): object {
  const { schemes, errors, named, strict } = context;
  const content = contentOf(notes.answer, notes.otherForms ?? [], context);
  const success = { description: 'Success.', ...(content === null ? {} : { content }) };
  const error = { content: errorContent(errors) };
  const asksForLogin = schemes.every((one) => one.length > 0) && !guards.includes('FeverKeyGuard');
  return {
    ...Object.fromEntries([status, ...(notes.also ?? [])].map((one) => [one, success])),
    ...Object.fromEntries(
      (notes.empty ?? []).map((one) => [one, { description: EMPTY[one] ?? 'Success.' }]),
    ),
    ...(asksForLogin ? { 401: { description: 'Without valid credentials.', ...error } } : {}),
    ...(guards.includes('AdminGuard')
      ? { 403: { description: 'The caller is not an administrator.', ...error } }
      : {}),
    ...Object.fromEntries(
      Object.entries(notes.errors ?? {}).map(([one, schema]) => [
        one,
        {
          description: 'Refused.',
          content: { 'application/json': { schema: answerSchema(schema, named, strict) } },
        },
      ]),
    ),
    default: { description: 'Refused, or failed; with the reason.', ...error },
  };
}

const EMPTY: Readonly<Record<number, string>> = {
  204: 'There is nothing.',
  304: 'Not changed since the last answer.',
};

function contentOf(
  answer: AnswerBody,
  otherForms: readonly Media[],
  { errors, named, strict }: Context,
): object | null {
  const others = Object.fromEntries(otherForms.map((media) => [media.type, ofMedia(media)]));
  if (answer instanceof Media) {
    return { [answer.type]: ofMedia(answer), ...others };
  }
  if (errors === 'ocs') {
    // Without data, `data` is an empty list.
    const data = answer === 'nothing' ? NO_DATA : answerSchema(answer, named, strict);
    return {
      'application/json': { schema: ocsEnvelope(data) },
      'application/xml': { schema: { type: 'string', description: 'The same as elements.' } },
      ...others,
    };
  }
  return answer === 'nothing'
    ? null
    : { 'application/json': { schema: answerSchema(answer, named, strict) }, ...others };
}

const NO_DATA: JsonSchema = {
  description: 'Nothing: an empty list or null.',
  anyOf: [{ type: 'array', maxItems: 0 }, { type: 'null' }],
};

function ofMedia({ description }: Media): object {
  return { schema: { type: 'string', description } };
}

function securityOf(
  { guards, rule }: RoutedHandler,
  { securityOfGuards }: ApiDocuments,
): readonly (readonly SecurityScheme[])[] {
  const asked = guards.flatMap((guard) => securityOfGuards[guard] ?? []);
  const alternatives = asked.map((scheme) => [scheme]);
  const isOpen = asked.length === 0 || rule === 'anonymous-too';
  return isOpen ? [[], ...alternatives] : alternatives;
}

/** `ItemLabelsV13Controller` → `Item labels` */
function tagOf(controller: string): string {
  const words = (subjectOf(controller) ?? 'Registrations')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return words === 'opml' ? 'OPML' : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Absent for the controllers of registrations, whose names are their routes. */
function subjectOf(controller: string): string | undefined {
  return /^(\w+?)(?:V1\d)?Controller$/.exec(controller)?.[1];
}

/** `folders.rename`; for further routes of a handler `folders.rename.2`. */
function unusedId(ids: Set<string>, { controller, name }: RoutedHandler, path: string): string {
  const subject = subjectOf(controller);
  const first =
    subject === undefined
      ? `${path.replace(/^.*\/api\//, '').replaceAll('/', '.')}.${name}`
      : `${subject.charAt(0).toLowerCase()}${subject.slice(1)}.${name}`;
  let id = first;
  for (let place = 2; ids.has(id); place += 1) {
    id = `${first}.${place}`;
  }
  ids.add(id);
  return id;
}
