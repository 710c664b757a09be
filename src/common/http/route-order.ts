import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Application } from 'express';

interface Layer {
  readonly route?: {
    readonly path: string;
    readonly stack: readonly { readonly handle: { readonly name: string } }[];
  };
}

/**
 * Express takes the first route that matches. Modules come in any order, so the routes are sorted: at each
 * part of a path, fixed words come before placeholders, and these before the rest of a path; of one path, a route for
 * one method before a route for all.
 */
@Injectable()
export class RouteOrder implements OnApplicationBootstrap {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  onApplicationBootstrap(): void {
    const express = this.adapterHost.httpAdapter?.getInstance() as Application | undefined;
    if (express?.router !== undefined) {
      sortRoutes(express.router.stack as unknown as Layer[]);
    }
  }
}

/** Sorts the handlers of controllers, in place. What is before them, such as middleware, stays there. */
export function sortRoutes(stack: Layer[]): void {
  const isHandler = ({ route }: Layer) => route?.stack[0]?.handle.name.includes('.') === true;
  const first = stack.findIndex(isHandler);
  const handlers = stack
    .slice(first, stack.findLastIndex(isHandler) + 1)
    .map((layer) => ({ layer, key: keyOf(layer) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  stack.splice(first, handlers.length, ...handlers.map(({ layer }) => layer));
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
