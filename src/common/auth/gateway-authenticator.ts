import { Injectable } from '@nestjs/common';
import type { IdentifiedRequest } from '../http/current-user.decorator.js';
import { SparseWarnings } from '../logging/sparse-warnings.js';
import { AppCredentialsOffer, type CallingApp } from '../ports/app-credentials.js';
import { GatewayThrottleOffer, type Claim } from '../ports/gateway-throttle.js';
import { UserDirectoryOffer, type Account } from '../ports/user-directory.js';
import { GatewayAuthenticationFailed } from './auth.errors.js';
import type { AdmittedApps } from './calling-app.decorator.js';

/**
 * Parses `AUTHORIZATION-APP-API`; the secret may contain colons, the user may not.
 *
 * @returns null unless it is base64 of `user:secret`; the user may be empty
 */
function readGatewayAuthorization(
  header: string | undefined,
): { readonly userId: string; readonly secret: string } | null {
  if (header === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(header.trim())) {
    return null;
  }
  const text = Buffer.from(header.trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? null : { userId: text.slice(0, colon), secret: text.slice(colon + 1) };
}

/** An authenticated app, and the user it acts for, if any. */
interface GatewayCaller {
  readonly app: CallingApp;
  readonly account: Account | undefined;
}

/**
 * Verifies the three headers of external apps. All rejections look alike to clients; the log has
 * the reason.
 *
 * @see docs/app-api-reference.md "Authentication"
 */
@Injectable()
export class GatewayAuthenticator {
  readonly #warnings = new SparseWarnings('Gateway');

  constructor(
    private readonly credentials: AppCredentialsOffer,
    private readonly directory: UserDirectoryOffer,
    private readonly throttle: GatewayThrottleOffer,
  ) {}

  /** Whether the request has headers of an external app. */
  claims(request: IdentifiedRequest): boolean {
    return request.get('authorization-app-api') !== undefined;
  }

  /**
   * Puts app and acting user on the request.
   *
   * @param admitted which apps are admitted; default: enabled ones
   * @throws GatewayAuthenticationFailed
   */
  async admit(request: IdentifiedRequest, admitted: AdmittedApps = 'enabled'): Promise<void> {
    const claim = { clientAddress: request.ip ?? '', claimed: request.get('ex-app-id') ?? '' };
    const { app, account } = await this.#identify(request, claim, admitted);
    request.callingApp = app;
    if (account !== undefined) {
      request.account = account;
      request.credential = { kind: 'external app', appId: app.appId };
    }
  }

  async #identify(
    request: IdentifiedRequest,
    claim: Claim,
    admitted: AdmittedApps,
  ): Promise<GatewayCaller> {
    const { clientAddress, claimed: appId } = claim;
    const header = request.get('authorization-app-api');
    if (appId === '' || header === undefined) {
      throw this.#refusal(appId, clientAddress, 'headers are missing');
    }
    const authorization = readGatewayAuthorization(header);
    const apps = this.credentials.service;
    const app = (await apps?.verify(appId, authorization?.secret ?? '')) ?? null;
    if (apps === undefined || app === null || authorization === null) {
      await this.throttle.required.countAndDelay(claim);
      const reason =
        authorization === null ? 'AUTHORIZATION-APP-API cannot be read' : 'wrong secret';
      throw this.#refusal(appId, clientAddress, reason, 'no such app, or a wrong secret');
    }
    const fault = faultOfState(app, admitted);
    if (fault !== null) {
      throw this.#refusal(appId, clientAddress, fault);
    }
    const version = request.get('ex-app-version')?.trim() ?? '';
    if (version === '') {
      throw this.#refusal(appId, clientAddress, 'EX-APP-VERSION is missing');
    }
    await apps.noteVersion(app, version);
    return { app, account: await this.#actingUser(authorization.userId, appId, clientAddress) };
  }

  async #actingUser(
    userId: string,
    appId: string,
    clientAddress: string,
  ): Promise<Account | undefined> {
    if (userId === '') {
      return undefined;
    }
    const account = await this.directory.required.find(userId);
    if (account === null) {
      throw this.#refusal(appId, clientAddress, 'the user it acts for is unknown or disabled');
    }
    return account;
  }

  /**
   * @param reason for the operator of the app, if it exists
   * @param logged for the host's log
   */
  #refusal(
    appId: string,
    clientAddress: string,
    reason: string,
    logged = reason,
  ): GatewayAuthenticationFailed {
    this.#warnings.warn(`refused external app "${appId}" at ${clientAddress}: ${logged}`);
    this.credentials.service?.noteRefusal(appId, reason, clientAddress);
    return new GatewayAuthenticationFailed();
  }
}

function faultOfState(app: CallingApp, admitted: AdmittedApps): string | null {
  if (app.enabled || admitted === 'all') {
    return null;
  }
  if (!app.beingInstalled) {
    return 'the app is disabled';
  }
  return admitted === 'installing'
    ? null
    : 'the app is still being installed and may only report its status until it is enabled';
}
