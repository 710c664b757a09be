/**
 * What specs import from `@jest/globals`. Modules of test/support stay loaded between specs, so
 * each name delegates to the current spec.
 */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@jest/globals'
      ? { url: import.meta.url, format: 'module', shortCircuit: true }
      : nextResolve(specifier, context),
});

let current = {};

export function useTestApi(api) {
  current = api;
}

const live = (name) =>
  new Proxy(() => {}, {
    apply: (_target, _this, given) => current[name](...given),
    get: (_target, property) => current[name][property],
  });

export const afterAll = live('afterAll');
export const afterEach = live('afterEach');
export const beforeAll = live('beforeAll');
export const beforeEach = live('beforeEach');
export const describe = live('describe');
export const expect = live('expect');
export const it = live('it');
export const jest = live('jest');
export const test = live('test');
