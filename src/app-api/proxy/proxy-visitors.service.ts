import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppPasses } from '../../common/auth/app-passes.js';
import { isFromElsewhere } from '../../common/auth/request-origin.js';
import { isBasic, Visitors } from '../../common/auth/visitors.js';
import { AppsOrigin } from '../../common/config/apps-origin.js';
import { Config } from '../../common/config/config.js';
import type { Account } from '../../common/ports/user-directory.js';
import { NotOnThisOrigin, NotProxied } from '../app-api.errors.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import type { ProxyAddress } from './proxy-address.js';

/** A browser runs nothing of the app's answer and shows it in no frame. */
const INERT = "sandbox; default-src 'none'; frame-ancestors 'none'";

/**
 * Whom a proxied request acts for. With `GATEFOLD_APPS_ORIGIN` browsers reach apps on that origin only,
 * with the pass of a frame. On our own origin remain programs, webhooks, and the icons of the menu.
 *
 * @see docs/operations/external-apps.md "An origin of their own"
 */
@Injectable()
export class ProxyVisitors {
  constructor(
    private readonly visitors: Visitors,
    private readonly passes: AppPasses,
    private readonly appsOrigin: AppsOrigin,
    private readonly registrations: RegistrationsRepository,
    private readonly config: Config,
  ) {}

  /**
   * Whether the request came to the right origin. Does not depend on what the app declared.
   *
   * @throws NotProxied on the origin of another app
   * @throws NotOnThisOrigin for a browser on our own origin
   */
  async assertOrigin(request: Request, { appId, plainPath }: ProxyAddress): Promise<void> {
    const origin = this.appsOrigin.of(appId);
    if (origin === undefined || this.appsOrigin.servesApp(request, appId)) {
      return;
    }
    if (this.appsOrigin.serves(request)) {
      throw new NotProxied();
    }
    if (isOfBrowser(request) && !(await this.#isIcon(request, appId, plainPath))) {
      throw new NotOnThisOrigin(origin);
    }
  }

  /**
   * @returns undefined for a guest
   * @throws errors of `Visitors` and `AppPasses`
   */
  async identify(request: Request, { appId }: ProxyAddress): Promise<Account | undefined> {
    if (this.appsOrigin.serves(request)) {
      return this.passes.visitor(request, appId);
    }
    // CSRF protection of WebSockets: browsers send stored credentials for any page. A page of another
    // origin is treated as a guest.
    const account = await this.visitors.identify(request);
    const isForeignSocket =
      request.headers.upgrade !== undefined && isFromElsewhere(request, this.config.baseUrl);
    return isForeignSocket ? undefined : account;
  }

  /** A content security policy in addition to the app's. */
  policyFor(request: Request): string | undefined {
    if (!this.appsOrigin.isSet) {
      return undefined;
    }
    return this.appsOrigin.serves(request)
      ? `frame-ancestors 'self' ${this.appsOrigin.ofHost}`
      : INERT;
  }

  async #isIcon({ method, headers }: Request, appId: string, plainPath: string): Promise<boolean> {
    const isShown = (headers['sec-fetch-dest'] ?? 'image') === 'image';
    if (method !== 'GET' || headers.upgrade !== undefined || !isShown) {
      return false;
    }
    return (await this.registrations.iconsOf(appId)).includes(plainPath);
  }
}

/** Programs send neither cookies of ours nor these headers, which scripts cannot leave out. */
function isOfBrowser({ headers }: Request): boolean {
  return (
    headers.origin !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    headers['sec-fetch-mode'] !== undefined ||
    (/(?:^|;)\s*(?:__Host-)?gatefold[-_]/.test(headers.cookie ?? '') &&
      !isBasic(headers.authorization))
  );
}
