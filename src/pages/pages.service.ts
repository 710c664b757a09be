import { Injectable } from '@nestjs/common';
import { HOST_VERSION, HOST_VERSION_TEXT } from '../common/host-version.js';
import { PublicAddress } from '../common/http/public-address.js';
import { Capabilities } from '../common/ports/capabilities.js';
import type { Session } from '../common/ports/sessions.js';
import { UiContributions } from '../common/ports/ui-contributions.js';
import { GATEFOLD_VERSION } from '../common/version.js';
import { PageBuild } from './page-build.js';
import {
  embeddedDocument,
  shellDocument,
  type InitialState,
  type PageSetting,
} from './page-document.js';

/** More than this many scripts of one page are not loaded, as everywhere in the field. */
const MOST_SCRIPTS = 10;

/** Writes the documents that browsers are given. */
@Injectable()
export class PagesService {
  constructor(
    private readonly build: PageBuild,
    private readonly address: PublicAddress,
    private readonly contributions: UiContributions,
    private readonly capabilities: Capabilities,
  ) {}

  async shell(session: Session): Promise<string> {
    return shellDocument(await this.#settingOf(session, 'src/main.ts'));
  }

  /** @returns null when there is no such page, or none that this visitor may see */
  async embedded(session: Session, appId: string, name: string): Promise<string | null> {
    const page = await this.contributions.page(session.account, appId, name);
    if (page === null) {
      return null;
    }
    const setting = await this.#settingOf(session, 'src/embedded/main.ts');
    const withPrefix = (path: string) => setting.webRoot + path;
    return embeddedDocument(setting, {
      appId,
      title: page.entry.displayName,
      activeEntryId: page.entry.id,
      scripts: page.scriptPaths.slice(0, MOST_SCRIPTS).map(withPrefix),
      styles: page.stylePaths.map(withPrefix),
      initialStates: [
        ...(await this.#hostStates(session)),
        // Under the gateway's name, whichever app they are of: that is where scripts look.
        ...page.initialStates.map(({ key, text }) => ({ app: 'app_api', key, value: text })),
      ],
    });
  }

  /** What packages that front ends of apps are bundled with ask about the host. */
  async #hostStates({ account }: Session): Promise<InitialState[]> {
    const { major, minor, micro } = HOST_VERSION;
    return [
      {
        app: 'core',
        key: 'config',
        value: { version: `${major}.${minor}.${micro}.0`, versionstring: HOST_VERSION_TEXT },
      },
      { app: 'core', key: 'capabilities', value: await this.capabilities.shownTo(account) },
    ];
  }

  async #settingOf({ account, requestToken }: Session, entry: string): Promise<PageSetting> {
    return {
      account,
      requestToken,
      webRoot: this.address.path,
      version: GATEFOLD_VERSION,
      files: await this.build.filesOf(entry),
    };
  }
}
