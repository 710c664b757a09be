import { expect, it } from '@jest/globals';
import { sortRoutes } from './route-order.js';

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
