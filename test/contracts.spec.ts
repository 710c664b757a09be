import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { API_DOCUMENTS } from '../src/api-documents.js';
import { openApiOf, placeOf, type OpenApi } from '../src/common/contracts/open-api.js';
import type { RoutedHandler } from '../src/common/contracts/routed-handlers.js';
import { handlersOf } from './support/contracts/documented.js';
import { compare, type Exchange } from './support/contracts/recorder.js';
import { EVERY_PART } from './support/every-part.js';
import { startApp, type TestApp } from './support/start-app.js';

/*
 * The API documents: what docs/decisions/0058 says of them. That real answers are as documented, every
 * other spec proves: see test/support/contracts/recorder.ts.
 */

let app: TestApp;
let handlers: readonly RoutedHandler[];
let documents: ReadonlyMap<string, OpenApi>;
beforeAll(async () => {
  app = await startApp(EVERY_PART);
  handlers = handlersOf(app.app);
  const options = { version: '1.2.3', prefix: '' };
  documents = new Map(
    API_DOCUMENTS.documents.map((one) => [
      one.name,
      openApiOf(one, handlers, API_DOCUMENTS, options),
    ]),
  );
});
afterAll(() => app.stop());

const describeRoute = ({ method, path, controller, name }: RoutedHandler) =>
  `${method} ${path} (${controller}.${name})`;

const documented = () => handlers.filter((one) => placeOf(one, API_DOCUMENTS).in === 'document');

describe('Every route', () => {
  it('is in a document, or left out for a reason (src/api-documents.ts)', () => {
    const nowhere = handlers.filter((one) => placeOf(one, API_DOCUMENTS).in === 'nothing');

    expect(handlers.length).toBeGreaterThan(500);
    expect(nowhere.map(describeRoute)).toEqual([]);
  });

  it('is in only one document', () => {
    const ambiguous = documented().filter(
      ({ mainPath }) => API_DOCUMENTS.documents.filter(({ pathOf }) => pathOf(mainPath)).length > 1,
    );

    expect(ambiguous.map(describeRoute)).toEqual([]);
  });

  it('of a document says what it does and what it answers (@Operation)', () => {
    const silent = documented().filter(({ notes }) => notes === undefined);

    expect(silent.map(describeRoute)).toEqual([]);
  });

  it('has guards whose credentials are known (securityOfGuards)', () => {
    const unknown = documented()
      .flatMap(({ guards }) => guards)
      .filter((guard) => API_DOCUMENTS.securityOfGuards[guard] === undefined);

    expect([...new Set(unknown)]).toEqual([]);
  });

  it('is described in the words of one sentence', () => {
    const odd = documented().filter(({ notes }) => !/^[A-Z`].*[.]$/s.test(notes?.summary ?? ''));

    expect(odd.map(describeRoute)).toEqual([]);
  });
});

describe('What is left out', () => {
  it('exists, each with a reason', () => {
    const unused = API_DOCUMENTS.leftOut.filter(
      ({ routes, reason }) =>
        reason === '' ||
        !handlers.some(
          ({ path, controller, name }) => routes.test(path) || routes.test(`${controller}.${name}`),
        ),
    );

    expect(unused.map(({ routes }) => String(routes))).toEqual([]);
  });
});

describe.each(API_DOCUMENTS.documents.map(({ name }) => name))('The document %s', (name) => {
  it('is valid OpenAPI 3.1', async () => {
    const document = documents.get(name);

    const result = await new Validator().validate(
      structuredClone(document) as unknown as Record<string, unknown>,
    );

    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('has each operation once, under an id of its own', () => {
    const operations = Object.values(documents.get(name)?.paths ?? {}).flatMap((one) =>
      Object.values(one),
    );
    const ids = operations.map(({ operationId }) => operationId);

    expect(operations.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refers only to schemas that it has', () => {
    const document = documents.get(name);
    const text = JSON.stringify(document);
    const { schemas = {} } = (document?.components ?? {}) as { schemas?: Record<string, unknown> };
    const missing = [...text.matchAll(/"\$ref":"#\/([^"]*)"/g)]
      .map(([, place = '']) => place)
      .filter((place) => schemas[place.replace('components/schemas/', '')] === undefined);

    expect(missing).toEqual([]);
  });
});

describe('The recorder', () => {
  const folder = { id: 1, name: 'Sea', opened: true, feeds: [] };
  const answered = (body: unknown, more: Partial<Exchange> = {}) =>
    compare(app.url, {
      method: 'GET',
      target: '/index.php/apps/news/api/v1-3/folders',
      sent: null,
      status: 200,
      contentType: 'application/json; charset=utf-8',
      text: JSON.stringify(body),
      ...more,
    });

  it('accepts an answer as documented', () => {
    expect(() => answered({ folders: [folder] })).not.toThrow();
  });

  it.each([
    ['a field that the document does not know', { folders: [{ ...folder, colour: 'red' }] }],
    ['a missing field', { folders: [{ id: 1, name: 'Sea', feeds: [] }] }],
    ['another type', { folders: [{ ...folder, id: '1' }] }],
  ])('refuses %s', (_what, body) => {
    expect(() => answered(body)).toThrow(
      'GET /index.php/apps/news/api/v1-3/folders answered 200, not as documented: /folders/0',
    );
  });

  it('refuses another status, another media type, and an error without a message', () => {
    expect(() => answered([], { status: 201 })).toThrow('knows no status 201');
    expect(() => answered([], { contentType: 'text/html' })).toThrow('not text/html');
    expect(() => answered({ error: 'no' }, { status: 404 })).toThrow("property 'message'");
  });

  it('refuses a success without a parameter that is documented as required', () => {
    const exchange = { method: 'POST', sent: {}, text: JSON.stringify({ folders: [] }) };

    expect(() => answered(null, exchange)).toThrow(
      'the parameter "name" is documented as required',
    );
  });
});
