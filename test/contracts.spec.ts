import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { API_DOCUMENTS } from '../src/api-documents.js';
import { openApiOf, placeOf, type OpenApi } from '../src/common/contracts/open-api.js';
import type { RoutedHandler } from '../src/common/contracts/routed-handlers.js';
import { handlersOf } from './support/contracts/documented.js';
import { startApp, type TestApp } from './support/start-app.js';

/*
 * The API documents: what docs/decisions/0058 says of them. That real answers are as documented, every
 * other spec proves: see test/support/contracts/recorder.ts.
 */

let app: TestApp;
let handlers: readonly RoutedHandler[];
let documents: ReadonlyMap<string, OpenApi>;
beforeAll(async () => {
  app = await startApp();
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
