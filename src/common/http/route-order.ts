import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Router, type Application } from 'express';

/** A layer of Express's router: a route of a controller, or middleware. */
export interface Layer {
  readonly route?: {
    readonly path: string;
    readonly stack: readonly {
      readonly method?: string;
      readonly handle: { readonly name: string };
    }[];
    readonly methods?: Readonly<Record<string, boolean>>;
  };
  match?(path: string): unknown;
}

interface Stack {
  stack: Layer[];
}

/**
 * Express takes the first route that matches. Modules come in any order, so the routes are sorted: at each
 * part of a path, fixed words come before placeholders, and these before the rest of a path; of one path, a route for
 * one method before a route for all. A request then passes only the routes that begin with its words.
 */
@Injectable()
export class RouteOrder implements OnApplicationBootstrap {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  onApplicationBootstrap(): void {
    const express = this.adapterHost.httpAdapter?.getInstance() as Application | undefined;
    if (express?.router !== undefined) {
      routeByPrefix(express.router as unknown as Stack & Router);
    }
  }
}

/** @returns the routes of controllers, in their order; before the start of the application with the rest */
export function routesOf(app: Application): readonly Layer[] {
  return sorted.get(app.router)?.routes ?? asStack(app.router).stack;
}

/** @returns the routes of controllers that may match the path of a request */
export function routesFor(app: Application, path: string): readonly Layer[] {
  return sorted.get(app.router)?.root.find(wordsOf(path)).routes ?? [];
}

const sorted = new WeakMap<object, { readonly routes: readonly Layer[]; readonly root: Prefix }>();

/** Replaces the routes of controllers by one layer, which selects by the prefix of the request. */
export function routeByPrefix(router: Stack & Router): void {
  const { stack } = router;
  const [first, end] = sortRoutes(stack);
  const root = new Prefix(stack.slice(end));
  const routes = stack.slice(first, end);
  routes.forEach((layer) => root.add(layer));
  const { stack: dispatch } = asStack(
    Router().use((request, response, next) =>
      root.find(wordsOf(request.path)).router(request, response, next),
    ),
  );
  stack.splice(first, routes.length, ...dispatch);
  sorted.set(router, { routes, root });
}

/** The routes that begin with some fixed words, and the ones with fewer words and a placeholder. */
class Prefix {
  readonly #next = new Map<string, Prefix>();
  #router: Router | undefined;

  /**
   * @param after layers after all routes
   * @param routes in their order
   */
  constructor(
    private readonly after: readonly Layer[],
    readonly routes: Layer[] = [],
  ) {}

  add(layer: Layer, [word, ...rest] = fixedWords(layer.route?.path ?? '')): void {
    if (word === undefined) {
      this.#append(layer);
    } else {
      this.#below(word).add(layer, rest);
    }
  }

  /** @returns the longest prefix of these words */
  find(words: readonly string[], at = 0): Prefix {
    return this.#next.get(words[at] ?? '')?.find(words, at + 1) ?? this;
  }

  get router(): Router {
    if (this.#router === undefined) {
      this.#router = Router();
      asStack(this.#router).stack = [...this.routes, ...this.after];
    }
    return this.#router;
  }

  #below(word: string): Prefix {
    let prefix = this.#next.get(word);
    if (prefix === undefined) {
      prefix = new Prefix(this.after, [...this.routes]);
      this.#next.set(word, prefix);
    }
    return prefix;
  }

  #append(layer: Layer): void {
    this.routes.push(layer);
    this.#next.forEach((prefix) => prefix.#append(layer));
  }
}

function asStack(router: Router): Stack {
  return router as unknown as Stack;
}

/** Express compares without case, and ignores a slash at the end. */
function wordsOf(path: string): string[] {
  return path.toLowerCase().split('/').slice(1);
}

/** The words of a route's path before its first placeholder. */
function fixedWords(path: string): string[] {
  const words = wordsOf(path);
  const end = words.findIndex((word) => word === '' || /[^\w.-]/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

/**
 * Sorts the handlers of controllers, in place. Layers before them, such as middleware, stay in place.
 *
 * @returns where they begin and end
 */
export function sortRoutes(stack: Layer[]): readonly [number, number] {
  const isHandler = ({ route }: Layer) => route?.stack[0]?.handle.name.includes('.') === true;
  const first = stack.findIndex(isHandler);
  const handlers = stack
    .slice(first, stack.findLastIndex(isHandler) + 1)
    .map((layer) => ({ layer, key: keyOf(layer) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  stack.splice(first, handlers.length, ...handlers.map(({ layer }) => layer));
  return [first, first + handlers.length];
}

/** A digit for each part of the path, and one for the methods. */
function keyOf({ route }: Layer): string {
  const parts = (route?.path ?? '').split('/').map((part) => {
    if (part.includes('*')) {
      return 3;
    }
    if (/^:\w+$/.test(part)) {
      return 2;
    }
    return part.includes(':') ? 1 : 0;
  });
  return [...parts, Number((route?.stack.length ?? 1) > 1)].join('');
}
