import { GUARDS_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService } from '@nestjs/core';
import type { Application } from 'express';
import { CHANGING_GET } from '../../src/common/auth/changing-get.decorator.js';
import { ACCESS_RULE, type AccessRule } from '../../src/common/http/current-user.decorator.js';
import { routesOf as sortedRoutes } from '../../src/common/http/route-order.js';
import type { TestApp } from './start-app.js';

/** A route of the service, with the access rules of its handler. */
export interface Route {
  /** In upper case. */
  readonly method: string;
  /** With placeholders: `/apps/news/api/v1-3/feeds/:feedId`. */
  readonly path: string;
  /** `FeedsController.list` */
  readonly handler: string;
  /** The module of the handler: `FeedsModule` */
  readonly subject: string | undefined;
  /** Class names, in the order in which they run. */
  readonly guards: readonly string[];
  readonly rule: AccessRule | undefined;
  readonly changingGet: boolean;
}

/** Every route of the router, so that new routes need no list. */
export function routesOf({ app }: TestApp): readonly Route[] {
  const controllers = new Map(
    app
      .get(DiscoveryService, { strict: false })
      .getControllers()
      .map(({ metatype, host }) => [metatype?.name, { metatype, subject: host?.metatype?.name }]),
  );
  const express = app.getHttpAdapter().getInstance() as Application;
  return sortedRoutes(express).flatMap(({ route }) =>
    (route?.stack ?? []).flatMap(({ method = 'all', handle }) => {
      const handler = String(Reflect.get(handle, 'name'));
      const controller = controllers.get(handler.split('.')[0]);
      return controller === undefined || route === undefined
        ? []
        : [
            {
              method: method.toUpperCase(),
              path: route.path,
              subject: controller.subject,
              ...accessOf(handler, controller.metatype as object, handle),
            },
          ];
    }),
  );
}

function accessOf(handler: string, controller: object, handle: object) {
  const said = (key: string) =>
    (Reflect.getMetadata(key, handle) ?? Reflect.getMetadata(key, controller)) as unknown;
  const guards = [controller, handle].flatMap(
    (target) => (Reflect.getMetadata(GUARDS_METADATA, target) ?? []) as { name: string }[],
  );
  return {
    handler,
    guards: guards.map(({ name }) => name),
    rule: said(ACCESS_RULE) as AccessRule | undefined,
    changingGet: said(CHANGING_GET) === true,
  };
}
