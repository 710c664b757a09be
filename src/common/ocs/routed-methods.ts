import type { Application } from 'express';

/** Internals of the router that distinguish a wrong method from an unknown path. */
interface RouterLayer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** Methods with a route at this path, in upper case; none for an unknown path. */
export function routedMethods(app: Application, path: string): string[] {
  const layers = (app.router as unknown as { readonly stack: readonly RouterLayer[] }).stack;
  const methods = layers
    .filter((layer) => layer.route !== undefined && matches(layer, path))
    .map((layer) => Object.keys(layer.route?.methods ?? {}))
    // A layer that accepts even TRACE is middleware, not a route.
    .filter((verbs) => !verbs.includes('trace'))
    .flat();
  return [...new Set(methods)].map((method) => method.toUpperCase()).sort();
}

function matches(layer: RouterLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    // A placeholder that cannot be decoded.
    return false;
  }
}
