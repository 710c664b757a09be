import { DiscoveryService } from '@nestjs/core';
import type { Application } from 'express';
import fc from 'fast-check';
import { inputFields } from '../../../src/common/contracts/json-schema.js';
import {
  routedHandlers,
  type RoutedHandler,
} from '../../../src/common/contracts/routed-handlers.js';
import type { ApiClient, CallOptions } from '../../../test/support/api-client.js';
import { giveBelongings } from '../../../test/support/belongings.js';
import { knowApp, startExternalApp } from '../../../test/support/external-app.js';
import { startApp } from '../../../test/support/start-app.js';
import { answerOf } from '../answer-of.js';
import { hostileText, hostileValue } from '../hostile-values.js';
import type { OpenTarget, Target } from '../target.js';

/** Routes that wait for events, or take minutes. */
const LEFT_OUT = new Set([
  'AppsAdminController.register',
  'AppsAdminController.update',
  'LiveController.follow',
]);

/** Input that is generated before its route is known. */
interface Input {
  readonly place: number;
  readonly caller: 'user' | 'administrator' | 'app' | 'nobody';
  /** Names of fields are chosen in turn from the route's inputs. */
  readonly values: readonly unknown[];
  readonly carrier: 'json' | 'query' | 'form' | 'raw';
  /** Replaces the value of a placeholder of the path. */
  readonly placeholder: string | null;
  readonly raw: string;
}

const input: fc.Arbitrary<Input> = fc.record({
  place: fc.nat(),
  caller: fc.constantFrom('user', 'administrator', 'app', 'nobody'),
  values: fc.array(hostileValue, { minLength: 1, maxLength: 8 }),
  carrier: fc.constantFrom('json', 'json', 'query', 'form', 'raw'),
  placeholder: fc.option(hostileText.filter((text) => text !== '' && text.isWellFormed())),
  raw: hostileText,
});

/** Every route of the service answers any input with a status below 500, or names the missing part. */
export const routesTarget: Target = {
  name: 'routes',
  smokeRuns: 600,
  async open(): Promise<OpenTarget> {
    const app = await startApp();
    const [ada, bob] = [await app.signInOnce('ada'), await app.signInOnce('bob')];
    const belongings = await giveBelongings(app, ada, bob);
    const external = await startExternalApp(app, { appId: 'fuzz' });
    await knowApp(app, external);
    const clients: Readonly<Record<Input['caller'], Pick<ApiClient, 'call'>>> = {
      user: ada,
      administrator: app.asAdmin(),
      app: external.as('ada'),
      nobody: app.asStranger(),
    };
    const routes = distinct(
      routedHandlers(
        app.app.getHttpAdapter().getInstance() as Application,
        app.app.get(DiscoveryService, { strict: false }),
      ),
    );
    const property = fc.asyncProperty(input, async (sent) => {
      const route = routes[sent.place % routes.length] as RoutedHandler;
      const path = withPlaceholder(route.path, sent.placeholder, belongings.fill);
      const method = route.method === 'ALL' ? 'GET' : route.method;
      const answer = await answerOf(() =>
        clients[sent.caller].call(method, path, optionsOf(route, sent)),
      );
      if (answer.status === 500) {
        throw new Error(`${method} ${path} (${route.controller}.${route.name}): ${answer.text}`);
      }
    });
    return {
      property,
      async close() {
        await Promise.all([belongings.close(), external.close()]);
        await app.stop();
      },
    };
  },
};

/** One per handler. */
function distinct(all: readonly RoutedHandler[]): readonly RoutedHandler[] {
  const named = all
    .filter(({ method }) => method !== 'CONNECT')
    .map((route) => [`${route.controller}.${route.name}`, route] as const)
    .filter(([name]) => !LEFT_OUT.has(name));
  return [...new Map(named).values()];
}

function withPlaceholder(
  path: string,
  value: string | null,
  fill: (path: string) => string,
): string {
  const hostile =
    value === null ? path : path.replace(/:\w+|\*\w+/, () => encodeURIComponent(value));
  // An encoded path has no placeholders, but may look like one.
  return value === null || !/:\w+|\*\w+/.test(path) ? fill(path) : filledRest(hostile, fill);
}

function filledRest(path: string, fill: (path: string) => string): string {
  try {
    return fill(path);
  } catch {
    return path;
  }
}

function optionsOf(route: RoutedHandler, { values, carrier, raw }: Input): CallOptions {
  const names = route.inputs.flatMap(({ schema }) => Object.keys(inputFields(schema).properties));
  const fields = Object.fromEntries(
    values.map((value, place) => [names[place % names.length] ?? `field${place}`, value]),
  );
  switch (carrier) {
    case 'json':
      return { json: fields };
    case 'query':
      return { query: textsOf(fields) };
    case 'form':
      return {
        body: new URLSearchParams(textsOf(fields)).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      };
    case 'raw':
      return { body: raw, headers: { 'content-type': 'application/json' } };
  }
}

function textsOf(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
    ]),
  );
}
