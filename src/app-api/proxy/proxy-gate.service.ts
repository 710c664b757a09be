import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { GatewayThrottle, type Claim } from '../../common/ports/gateway-throttle.js';
import type { Account } from '../../common/ports/user-directory.js';
import { NotProxied, ServiceWorkerRefused } from '../app-api.errors.js';
import { ExAppsRepository, type ExApp } from '../apps/ex-apps.repository.js';
import { type ExAppRoute, ExAppRoutesRepository } from '../apps/routes/ex-app-routes.repository.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { GuessTurns, type Guess } from './guess-turns.service.js';
import { readProxyAddress, type ProxyAddress } from './proxy-address.js';
import { ProxyVisitors } from './proxy-visitors.service.js';
import { decidingRoute, isForGatewayAlone, mayPass } from './route-rules.js';

/** A request that may be forwarded to an app. */
export interface AdmittedProxyRequest {
  readonly app: ExApp;
  readonly address: ProxyAddress;
  /** Forwarded: as it was sent, if no reading of it has other rules; otherwise with merged slashes. */
  readonly path: string;
  /** The acting user; undefined for a guest. */
  readonly account: Account | undefined;
  /** `performance.now()` before the first question of the decision. */
  readonly sinceMs: number;
  /** The route that matched. */
  readonly route: ExAppRoute;
  /** The guess to count, on routes with brute-force protection. */
  readonly guess: Guess | undefined;
  /** A content security policy in addition to the app's. */
  readonly policy: string | undefined;
}

/** Access control of the proxy, for HTTP and WebSockets. */
@Injectable()
export class ProxyGate {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly routes: ExAppRoutesRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly visitors: ProxyVisitors,
    private readonly throttle: GatewayThrottle,
    private readonly turns: GuessTurns,
  ) {}

  /**
   * @throws NotProxied if it is closed to the caller, for any reason
   * @throws NotOnThisOrigin for a browser, if apps have an origin of their own
   * @throws ServiceWorkerRefused for the script of a service worker
   * @throws CredentialsRequired for a wrong password
   * @throws CsrfCheckFailed for a change with a session and no CSRF protection
   * @throws TooManyGatewayFailures after too many wrong guesses at the route
   */
  async admit(request: Request): Promise<AdmittedProxyRequest> {
    const sinceMs = performance.now();
    if (request.headers['service-worker'] !== undefined) {
      throw new ServiceWorkerRefused();
    }
    const address = readProxyAddress(request.url);
    if (address) {
      await this.visitors.assertOrigin(request, address);
    }
    const app = address && (await this.apps.find(address.appId));
    if (!address || !app?.enabled) {
      throw new NotProxied();
    }
    const declared = await this.routes.ofApp(app.appId);
    const route = decidingRoute(declared, request.method, address.plainPath);
    const handlers = await this.registrations.handlersOf(app.appId);
    if (route === null || isForGatewayAlone(address.plainPath, handlers)) {
      throw new NotProxied();
    }
    const isUnambiguous = address.otherReadings.every(
      (path) =>
        decidingRoute(declared, request.method, path) === route &&
        !isForGatewayAlone(path, handlers),
    );
    const path = isUnambiguous ? address.sentPath : address.path;
    const account = await this.visitors.identify(request, address);
    NotProxied.unless(mayPass(route, account));
    const mayBeGuess = route.bruteforceStatuses.length > 0;
    const guess = mayBeGuess ? await this.turns.begin(guessAt(app, request)) : undefined;
    const policy = this.visitors.policyFor(request);
    return { app, address, path, account, sinceMs, route, guess, policy };
  }

  /**
   * Counts or resets failures by the status of the app's response. The caller of `admit` ends the guess
   * in any case.
   */
  async learn(
    { app, route, guess }: AdmittedProxyRequest,
    request: Request,
    status: number,
  ): Promise<void> {
    if (route.bruteforceStatuses.includes(status)) {
      await this.throttle.failed(guessAt(app, request));
    } else if (route.bruteforceStatuses.length > 0 && status >= 200 && status < 300) {
      await this.throttle.forget(guessAt(app, request));
    }
    guess?.end();
  }
}

function guessAt({ appId }: AdmittedProxyRequest['app'], { ip = '' }: Request): Claim {
  return { clientAddress: ip, claimed: `a visitor of ${appId}` };
}
