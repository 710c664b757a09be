import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Config } from './config.js';

/** Ids that are valid labels of host names; no `--`, which marks encoded names. */
const PLAIN_LABEL = /^(?=.{1,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Labels of other ids, see `labelOf`. */
const HASHED_LABEL = /^app-[0-9a-f]{32}$/;

/** The part of a request that tells the name by which it reached us, behind trusted proxies. */
type HostRequest = { readonly host: string | undefined };

/**
 * The origin on which pages of external apps run, with `GATEFOLD_APPS_ORIGIN`: one for all apps, or one
 * for each. Names are compared without ports, which proxies tend to lose; the name of the
 * installation is another one.
 *
 * @see docs/operations/external-apps.md "An origin of their own"
 */
@Injectable()
export class AppsOrigin {
  readonly #origin: string | undefined;
  /** Name of the host, or the part after `*.`. */
  readonly #name: string;
  readonly #hasOneForEach: boolean;
  /** Origin of the host's pages, which show the apps' pages in frames. */
  readonly ofHost: string;

  constructor(config: Config) {
    this.#origin = config.appsOrigin;
    this.#hasOneForEach = config.appsOrigin?.includes('://*.') ?? false;
    this.#name = URL.parse(config.appsOrigin?.replace('://*.', '://') ?? '')?.hostname ?? '';
    this.ofHost = URL.parse(config.baseUrl ?? '')?.origin ?? '';
  }

  /** Whether the operator wants it. Otherwise pages of apps are ours. */
  get isSet(): boolean {
    return this.#origin !== undefined;
  }

  /** @returns undefined without the setting */
  of(appId: string): string | undefined {
    return this.#origin?.replace('*', labelOf(appId));
  }

  /** Whether a request came to the origin of apps, or of one of them. */
  serves(request: HostRequest): boolean {
    const name = this.isSet ? nameOf(request) : '';
    return this.#hasOneForEach
      ? name.endsWith(`.${this.#name}`)
      : this.isSet && name === this.#name;
  }

  /** Whether a request came to the origin of this app. */
  servesApp(request: HostRequest, appId: string): boolean {
    return this.#hasOneForEach
      ? this.serves(request) && nameOf(request) === `${labelOf(appId)}.${this.#name}`
      : this.serves(request);
  }
}

function nameOf({ host = '' }: HostRequest): string {
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '') ?? '';
}

/** Different for different ids, which may have capital letters, dots and underscores. */
function labelOf(appId: string): string {
  return PLAIN_LABEL.test(appId) && !HASHED_LABEL.test(appId)
    ? appId
    : `app-${createHash('sha256').update(appId).digest('hex').slice(0, 32)}`;
}
