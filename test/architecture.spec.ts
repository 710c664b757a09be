import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DiscoveryService, Reflector } from '@nestjs/core';
import { GUARDS_METADATA } from '@nestjs/common/constants.js';
import type { Application } from 'express';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ACCESS_RULE } from '../src/common/auth/current-user.decorator.js';
import { startApp, type TestApp } from './support/start-app.js';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('every route', () => {
  interface Layer {
    readonly route?: { readonly path: string; readonly methods: Record<string, boolean> };
  }

  const routes = () => {
    const express = app.app.getHttpAdapter().getInstance() as Application;
    return (
      (express.router as unknown as { stack: Layer[] }).stack
        .flatMap(({ route }) => route ?? [])
        // Middleware for all paths answers nothing itself.
        .filter(({ path: at }) => !at.includes('*splat'))
    );
  };

  it('is counted by this test', () => {
    expect(routes().length).toBeGreaterThan(60);
  });

  it('refuses a stranger, unless it is one of the few public ones', async () => {
    const open = new Set<string>();
    for (const { path: at, methods } of routes()) {
      const usual = ['get', 'post', 'put', 'delete'].find((verb) => methods[verb]);
      const other = Object.keys(methods).find((verb) => verb !== '_all');
      const method = (usual ?? other ?? 'delete').toUpperCase();
      const concrete = at.replace(/[:*]\w+/g, '1').replace(/\{.*?\}/g, '');
      const { status } = await app.asStranger().call(method, concrete);
      if (status !== 401) {
        open.add(at);
      }
    }

    expect([...open].toSorted()).toEqual(PUBLIC_ROUTES);
  });

  /** Whoever adds to this list says in the room's README why. */
  const PUBLIC_ROUTES = [
    '/',
    '/apps/app_api/api/v1/talk_proxy/:appId/*route',
    '/apps/app_api/embedded/:appId/:name{/*other}',
    '/apps/app_api/proxy/:appId',
    '/apps/app_api/proxy/:appId/*other',
    '/apps/files{/*rest}',
    '/apps/news/api',
    '/apps/news{/*rest}',
    '/apps/spreed{/*rest}',
    '/call/:token',
    '/core/img/app.svg',
    '/exapps/:appId',
    '/exapps/:appId/*other',
    '/health/live',
    '/health/ready',
    '/login',
    '/login/oidc',
    '/login/oidc/callback',
    '/login/oidc/logout',
    '/login/v2',
    '/login/v2/flow/:token',
    '/login/v2/grant',
    '/login/v2/poll',
    '/logout',
    '/manifest.webmanifest',
    '/ocs/v1.php/apps/app_api/api/v1/talk_proxy/:appId/*route',
    '/ocs/v1.php/cloud/capabilities',
    '/ocs/v2.php/apps/app_api/api/v1/talk_proxy/:appId/*route',
    '/ocs/v2.php/cloud/capabilities',
    '/settings{/*rest}',
    '/status.php',
    '/websub/:callbackId',
  ];

  it('has a guard or says that it is public', () => {
    const reflector = app.app.get(Reflector);
    const controllers = app.app.get(DiscoveryService, { strict: false }).getControllers();
    for (const { metatype } of controllers) {
      const guards: unknown = reflector.get(GUARDS_METADATA, metatype as never);
      const rules = [metatype, ...handlersOf(metatype as { prototype: object })].map((target) =>
        reflector.get<unknown>(ACCESS_RULE, target as never),
      );

      expect([metatype?.name, guards !== undefined || rules.includes('public')]).toEqual([
        metatype?.name,
        true,
      ]);
    }
  });

  function handlersOf({ prototype }: { prototype: object }): unknown[] {
    return Object.getOwnPropertyNames(prototype)
      .filter((name) => name !== 'constructor')
      .map((name) => Object.getOwnPropertyDescriptor(prototype, name)?.value as unknown);
  }
});

describe('every file', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );

  it('has a name that says what it is', () => {
    const vague = /(^|[/.-])(utils?|helpers?|misc|shared|core|index|types)\.ts$/;

    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  it('reads settings from the configuration, not from the environment', () => {
    const readers = files.filter(
      (file) =>
        !file.startsWith('cli') &&
        !file.endsWith('.spec.ts') &&
        /process\.env(?!\['PATH'\])/.test(readFileSync(path.join(SOURCE, file), 'utf8')),
    );

    expect(readers).toEqual([]);
  });
});
