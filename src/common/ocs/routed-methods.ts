import type { Application } from 'express';

/** The part of the router's own records that tells a wrong verb from an unknown path. */
interface RouterLayer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** The verbs some route answers at this path, in upper case; none for an unknown path. */
export function routedMethods(app: Application, path: string): string[] {
  const layers = (app.router as unknown as { readonly stack: readonly RouterLayer[] }).stack;
  const methods = layers
    .filter((layer) => layer.route !== undefined && matches(layer, path))
    .map((layer) => Object.keys(layer.route?.methods ?? {}))
    // What takes even TRACE is middleware for all paths and verbs, which answers nothing.
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
