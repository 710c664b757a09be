import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { routeByPrefix, routesFor, sortRoutes, type Layer } from './route-order.js';

const handler = (path: string, methods = 1) => ({
  route: { path, stack: Array.from({ length: methods }, () => ({ handle: { name: 'A.b' } })) },
});

it('sorts fixed words before placeholders, and these before the rest of a path', () => {
  const stack = ['/*rest', '/a/:id', '/a/:id/b', '/a/*rest', '/a/:id.json', '/a/b'].map((path) =>
    handler(path),
  );

  sortRoutes(stack);

  expect(stack.map(({ route }) => route.path)).toEqual([
    '/a/b',
    '/a/:id.json',
    '/a/:id',
    '/a/:id/b',
    '/a/*rest',
    '/*rest',
  ]);
});

it('sorts one method before all methods of a path, and leaves middleware first', () => {
  const middleware = { route: { path: '{/*splat}', stack: [{ handle: { name: 'log' } }] } };
  const [all, one] = [handler('/a', 35), handler('/a')];
  const stack = [middleware, all, one];

  sortRoutes(stack);

  expect(stack).toEqual([middleware, one, all]);
});

describe('routes by prefix', () => {
  const WORDS = ['a', 'B', 'a.b', ':id', ':id.json', 'x-:id', '*rest', '{:id}', 'a{/*rest}', ''];
  /** All paths of up to three of these words. */
  const pathsOf = (words: readonly string[]): string[] =>
    words.flatMap((one) =>
      ['', ...words].flatMap((two) => ['', ...words].map((three) => `/${one}/${two}/${three}`)),
    );
  const anApp = () => {
    const app = express();
    for (const path of pathsOf(WORDS.filter((word) => word !== '')).map(withoutEnd)) {
      if (!/(?:\{:id\}|rest\}?)\/|:id.*:id|rest.*rest/.test(path)) {
        app.get(
          path,
          Object.defineProperty(() => {}, 'name', { value: 'A.b' }),
        );
      }
    }
    return app;
  };
  const withoutEnd = (path: string) => path.replace(/\/+$/, '') || '/';

  it('are those that match, in the same order', () => {
    const app = anApp();
    const { stack } = app.router as unknown as { readonly stack: Layer[] };
    sortRoutes(stack);
    const all = [...stack];
    expect(all.length).toBeGreaterThan(100);

    routeByPrefix(app.router as never);

    expect(stack).toHaveLength(1);
    const matching = (layers: readonly Layer[], path: string) =>
      layers.filter((layer) => layer.match?.(path)).map(({ route }) => route?.path);
    for (const path of pathsOf(['a', 'A', 'b', 'a.b', '7', 'x-7', '7.json', 'c%20d', ''])) {
      for (const request of [path, withoutEnd(path)]) {
        expect(matching(routesFor(app, request), request)).toEqual(matching(all, request));
      }
    }
  });
});
