import { Injectable } from '@nestjs/common';
import {
  UiContributionsOffer,
  type UiContributions,
  type AppPage,
  type MenuEntry,
} from '../../common/ports/ui-contributions.js';
import type { Account } from '../../common/ports/user-directory.js';
import type { KindOf, Registration } from './capability.js';
import {
  INITIAL_STATE,
  pageKeyPrefix,
  SCRIPT,
  STYLE,
  TOP_MENU,
  type TopMenuFields,
} from './page-resources.js';
import { RegistrationsRepository } from './registrations.repository.js';

/** The prefix by which clients recognise links to apps. */
const ROOT = '/index.php/apps/app_api';

/** Contributions of enabled external apps to the pages of the host. */
@Injectable()
export class UiContributionsService implements UiContributions {
  constructor(
    private readonly registrations: RegistrationsRepository,
    offer: UiContributionsOffer,
  ) {
    offer.fill(this);
  }

  async menuFor(account: Account): Promise<MenuEntry[]> {
    const entries = await this.registrations.ofEnabledApps(TOP_MENU);
    return entries.filter((entry) => isShownTo(account, entry)).map(toMenuEntry);
  }

  async page(account: Account, appId: string, name: string): Promise<AppPage | null> {
    const entries = await this.menuFor(account);
    const entry = entries.find((shown) => shown.appId === appId && shown.name === name);
    if (entry === undefined) {
      return null;
    }
    const [scripts, styles, states] = await Promise.all([
      this.#ofPage(entry, SCRIPT),
      this.#ofPage(entry, STYLE),
      this.#ofPage(entry, INITIAL_STATE),
    ]);
    return {
      entry,
      scriptPaths: scripts.map(({ path }) => fileOf(appId, `${path}.js`)),
      stylePaths: styles.map(({ path }) => fileOf(appId, `${path}.css`)),
      initialStates: states.map(({ key, value }) => ({ key, text: JSON.stringify(value) })),
    };
  }

  async #ofPage<Fields>({ appId, name }: MenuEntry, kind: KindOf<Fields>): Promise<Fields[]> {
    const registered = await this.registrations.ofApp(appId, kind);
    const page = pageKeyPrefix(name);
    return registered.filter(({ key }) => key.startsWith(page)).map(({ fields }) => fields);
  }
}

function isShownTo(account: Account, { fields }: Registration<TopMenuFields>): boolean {
  return account.isAdmin || !fields.adminRequired;
}

function toMenuEntry({ appId, fields }: Registration<TopMenuFields>): MenuEntry {
  const { name, displayName, icon } = fields;
  return {
    id: `app_api_${appId}_${name}`,
    appId,
    name,
    displayName,
    path: `${ROOT}/embedded/${encodeURIComponent(appId)}/${encodeURIComponent(name)}`,
    iconPath: icon === '' ? null : fileOf(appId, icon),
  };
}

/** A file of the app, through the proxy. */
function fileOf(appId: string, path: string): string {
  const [file = '', ...query] = path.split('?');
  const segments = file.split('/').map(encodeURIComponent).join('/');
  return [`${ROOT}/proxy/${encodeURIComponent(appId)}/${segments}`, ...query].join('?');
}
