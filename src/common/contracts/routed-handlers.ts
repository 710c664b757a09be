import type { Type } from '@nestjs/common';
import {
  GUARDS_METADATA,
  HTTP_CODE_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import type { DiscoveryService } from '@nestjs/core';
import type { Application } from 'express';
import { ACCESS_RULE, type AccessRule } from '../http/current-user.decorator.js';
import { inputOf, type DescribedInput } from '../http/described-inputs.js';
import { routesOf } from '../http/route-order.js';
import { OCS_ROOTS } from '../ocs/ocs-wire.js';
import { OPERATION, type OperationNotes } from './operation.decorator.js';

/** A route of the router, with Nest's metadata of its handler. */
export interface RoutedHandler {
  /** In upper case; `ALL` for any. */
  readonly method: string;
  /** Path with placeholders: `/apps/news/api/v1-3/feeds/:feedId`. */
  readonly path: string;
  /** The address below the second root, for an OCS route with several. */
  readonly mainPath: string;
  /** Class name. */
  readonly controller: string;
  /** Method name. */
  readonly name: string;
  /** Class names, in the order in which they run. */
  readonly guards: readonly string[];
  readonly rule: AccessRule | undefined;
  /** Status of success. */
  readonly status: number;
  readonly inputs: readonly DescribedInput[];
  readonly notes: OperationNotes | undefined;
}

/** Every route of the router, in its order. */
export function routedHandlers(
  express: Application,
  discovery: DiscoveryService,
): readonly RoutedHandler[] {
  const controllers = Map.groupBy(
    discovery.getControllers().map(({ metatype }) => metatype as Type),
    ({ name }) => name,
  );
  const routes = routesOf(express).flatMap(({ route }) =>
    (route?.stack ?? []).flatMap(({ method = 'all', handle }) => {
      const handler = String(Reflect.get(handle, 'name'));
      const [, className = '', name = ''] = /^(.*)\.(\w+)$/.exec(handler) ?? [];
      // Two rooms may have controllers of the same name.
      const controller = (controllers.get(className) ?? []).find((one) =>
        isBelow(one, route?.path),
      );
      return route === undefined || controller === undefined
        ? []
        : [
            {
              method: method.toUpperCase(),
              path: route.path,
              controller: className,
              name,
              ...metadataOf(controller, handle, name, method),
            },
          ];
    }),
  );
  const addresses = new Set(routes.map((route) => `${route.controller} ${route.path}`));
  return routes.map((route) => {
    const below = `${OCS_ROOTS[1]}${route.path.replace(OCS_ROOTS[0], '')}`;
    const isOcs = addresses.has(`${route.controller} ${below}`);
    return { ...route, mainPath: isOcs ? below : route.path };
  });
}

function isBelow(controller: Type, path = ''): boolean {
  const roots = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
  return roots.some((root) => path.startsWith(`/${root.replace(/^\//, '')}`));
}

function metadataOf(controller: object, handle: object, name: string, method: string) {
  const metadata = (key: string): unknown =>
    Reflect.getMetadata(key, handle) ?? Reflect.getMetadata(key, controller);
  const guards = [controller, handle].flatMap(
    (target) => (Reflect.getMetadata(GUARDS_METADATA, target) ?? []) as { name: string }[],
  );
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Readonly<
    Record<string, { readonly factory?: unknown }>
  >;
  return {
    guards: guards.map((guard) => guard.name),
    rule: metadata(ACCESS_RULE) as AccessRule | undefined,
    status: (metadata(HTTP_CODE_METADATA) as number | undefined) ?? (method === 'post' ? 201 : 200),
    inputs: Object.values(args).flatMap(({ factory }) => inputOf(factory) ?? []),
    notes: metadata(OPERATION) as OperationNotes | undefined,
  };
}
