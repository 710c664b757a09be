import { NotFoundException } from '@nestjs/common';
import type { Request, Response, Application } from 'express';
import { answerJsonError } from '../errors/json-error.filter.js';
import { refuseRest } from '../errors/refuse-rest.js';
import { routesFor, type Layer } from '../http/route-order.js';
import { OCS_UNKNOWN_ROUTE, OcsFailure } from './envelope.js';
import { answerOcsError } from './ocs-error.filter.js';
import { dialectOf, OCS_ROOTS } from './ocs-wire.js';

/**
 * Answers errors outside of controllers, such as unknown routes or invalid bodies: in the envelope under
 * the OCS roots, elsewhere with `{"message": …}`.
 */
export function answerEdgeError(error: unknown, request: Request, response: Response): void {
  refuseRest(request, response);
  const unrouted = error instanceof NotFoundException && !response.headersSent;
  const methods = unrouted ? ocsMethods(request) : [];
  if (methods.length > 0) {
    response.status(405).setHeader('Allow', methods.join(', ')).end();
    return;
  }
  if (dialectOf(request.path) === 'bare') {
    answerJsonError(error, request, response);
    return;
  }
  answerOcsError(unrouted ? unknownRoute() : error, request, response);
}

function unknownRoute(): OcsFailure {
  return new OcsFailure(OCS_UNKNOWN_ROUTE, 'Invalid query, please check the syntax.');
}

/** Methods of this path, if it is an OCS one. A bare path is, if it also exists under a root. */
function ocsMethods(request: Request): string[] {
  const { path } = request;
  return routedMethods(request.app, dialectOf(path) === 'bare' ? `${OCS_ROOTS[0]}${path}` : path);
}

/** Methods with a route at this path, in upper case; none for an unknown path. */
function routedMethods(app: Application, path: string): string[] {
  const methods = routesFor(app, path)
    .filter((layer) => matches(layer, path))
    .map((layer) => Object.keys(layer.route?.methods ?? {}))
    // A route for all methods, such as the proxy's, says nothing about them.
    .filter((verbs) => !verbs.includes('trace'))
    .flat();
  return [...new Set(methods)].map((method) => method.toUpperCase()).sort();
}

function matches(layer: Layer, path: string): boolean {
  try {
    return Boolean(layer.match?.(path));
  } catch {
    // A placeholder that cannot be decoded.
    return false;
  }
}
