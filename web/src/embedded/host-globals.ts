import type { PageContext } from '../host/page-context.js';
import { addressesBelow } from './addresses.js';
import { calendarNames } from './calendar-names.js';
import { EventBus } from './event-bus.js';
import { loadState } from './initial-states.js';
import {
  escapeHtml,
  registeredPlurals,
  registeredTexts,
  registerTexts,
  translate,
  translatePlural,
} from './translations.js';

/*
 * The globals that front ends of external apps expect, read by Nextcloud's packages in their bundles
 * and by plain scripts. Set before the first script of the app.
 */

interface CoreConfig {
  readonly version: string;
  readonly versionstring: string;
}

export interface GlobalsSetting {
  readonly page: Pick<
    PageContext,
    'userId' | 'displayName' | 'isAdmin' | 'requestToken' | 'webRoot'
  >;
  readonly language: string;
  /** Shows a short message of the app. */
  readonly toast: (text: string, kind: 'info' | 'error') => void;
}

/** Sets the globals and the language of the document. */
export function provideGlobals({ page, language, toast }: GlobalsSetting): EventBus {
  const locale = localeOf(language);
  document.documentElement.lang = language;
  document.documentElement.dataset['locale'] = locale;

  const user = { uid: page.userId, displayName: page.displayName, isAdmin: page.isAdmin };
  const capabilities = loadState<Record<string, unknown>>('core', 'capabilities', {});
  const { Notification, Toast } = toastsOf(toast);
  const OC = {
    requestToken: page.requestToken,
    coreApps: ['', 'admin', 'log', 'core/search', 'core', '3rdparty'],
    config: configOf(page.webRoot),
    debug: false,
    currentUser: page.userId,
    getCurrentUser: () => user,
    isUserAdmin: () => page.isAdmin,
    getCapabilities: () => capabilities,
    getLanguage: () => language,
    getLocale: () => locale,
    ...addressFunctions(page.webRoot),
    L10N: { register: registerTexts, translate, translatePlural },
    Notification,
    ...PERMISSIONS,
  };
  const eventBus = new EventBus();
  eventBus.subscribe('csrf-token-update', (event) => {
    const { token } = event as { token: string };
    document.head.dataset['requesttoken'] = token;
    OC.requestToken = token;
  });
  Object.assign(window, {
    OC,
    OCA: {},
    OCP: { InitialState: { loadState }, Toast },
    t: translate,
    n: translatePlural,
    escapeHTML: escapeHtml,
    ...oldNames(page, OC),
    oc_capabilities: capabilities,
    _oc_capabilities: capabilities,
    _nc_event_bus: eventBus,
    // The host never requires password confirmation.
    backendAllowsPasswordConfirmation: false,
    nc_lastLogin: Math.floor(Date.now() / 1000),
    nc_pageLoad: Math.floor(Date.now() / 1000),
    ...calendarNames(language),
  });
  return eventBus;
}

function oldNames(
  { userId, isAdmin, requestToken, webRoot }: GlobalsSetting['page'],
  { config, appswebroots }: { readonly config: object; readonly appswebroots: object },
) {
  return {
    oc_config: config,
    oc_current_user: userId,
    oc_isadmin: isAdmin,
    oc_requesttoken: requestToken,
    oc_webroot: webRoot,
    oc_appswebroots: appswebroots,
    _oc_config: config,
    _oc_debug: false,
    _oc_isadmin: isAdmin,
    _oc_webroot: webRoot,
    _oc_appswebroots: appswebroots,
    _oc_l10n_registry_translations: registeredTexts,
    _oc_l10n_registry_plural_functions: registeredPlurals,
  };
}

const PERMISSIONS = {
  PERMISSION_NONE: 0,
  PERMISSION_READ: 1,
  PERMISSION_UPDATE: 2,
  PERMISSION_CREATE: 4,
  PERMISSION_DELETE: 8,
  PERMISSION_SHARE: 16,
  PERMISSION_ALL: 31,
};

function configOf(webRoot: string) {
  return {
    ...loadState<CoreConfig>('core', 'config', { version: '', versionstring: '' }),
    modRewriteWorking: addressesBelow(webRoot).isRewriteWorking,
    enable_avatars: true,
    /** Log warnings and errors. */
    loglevel: 2,
    session_keepalive: false,
    auto_logout: false,
  };
}

function addressFunctions(webroot: string) {
  const { proxyRootOf, generateUrl, linkToOcs, linkToRemoteBase } = addressesBelow(webroot);
  const appId = document.body.dataset['app'] ?? '';
  const appswebroots: Readonly<Record<string, string>> = {
    [appId]: proxyRootOf(appId),
    app_api: `${webroot}/apps/app_api`,
  };

  function filePath(app: string, type: string, file: string): string {
    const root = appswebroots[app] ?? `${webroot}/${app}`;
    return [root, type, file].filter((part) => part !== '').join('/');
  }

  return {
    webroot,
    appswebroots,
    getHost: () => location.host,
    getProtocol: () => location.protocol.slice(0, -1),
    getRootPath: () => webroot,
    generateUrl,
    filePath,
    imagePath: (app: string, file: string) =>
      filePath(app, 'img', file.includes('.') ? file : `${file}.svg`),
    linkTo: (app: string, file: string) => filePath(app, '', file),
    linkToOCS: (service: string, version?: number) =>
      `${linkToOcs(`/${service}`, {}, { ocsVersion: version === 2 ? 2 : 1 })}/`,
    linkToRemote: (service: string) => location.origin + linkToRemoteBase(service),
    linkToRemoteBase,
    redirect: (address: string) => location.assign(address),
    reload: () => location.reload(),
  };
}

function toastsOf(tell: GlobalsSetting['toast']) {
  const telling = (kind: 'info' | 'error') => (text: unknown) => {
    tell(String(text), kind);
    return null;
  };
  const info = telling('info');
  const error = telling('error');
  return {
    Notification: { show: info, showTemporary: info, showHtml: info, hide: () => {} },
    Toast: { success: info, info, message: info, warning: error, error },
  };
}

/** The browser's regional variant of the language, such as `en_GB`. */
function localeOf(chosen: string): string {
  const tag = navigator.languages.find((known) => known.split('-')[0] === chosen);
  return (tag ?? chosen).replaceAll('-', '_');
}
