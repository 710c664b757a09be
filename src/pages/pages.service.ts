import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../common/config/config.js';
import { hostVersion } from '../common/host-version.js';
import { PublicAddress } from '../common/http/public-address.js';
import { Capabilities } from '../common/ports/capabilities.js';
import type { Session } from '../common/ports/sessions.js';
import { UserPreferences } from '../common/ports/user-preferences.js';
import { UiContributions } from '../common/ports/ui-contributions.js';
import { LANGUAGES, languageOf } from '../common/texts/languages.js';
import { GATEFOLD_VERSION } from '../common/version.js';
import { nextModules } from './next-modules.js';
import { PageBuild } from './page-build.js';
import {
  embeddedDocument,
  shellDocument,
  type InitialState,
  type PageSetting,
} from './page-document.js';
import { shellPolicy } from './page-policies.js';

/** Maximum scripts per page, as in Nextcloud. */
const MOST_SCRIPTS = 10;

/** Renders the documents of pages. */
@Injectable()
export class PagesService {
  constructor(
    private readonly build: PageBuild,
    private readonly address: PublicAddress,
    private readonly contributions: UiContributions,
    private readonly capabilities: Capabilities,
    private readonly preferences: UserPreferences,
    private readonly config: Config,
  ) {}

  /** Content security policy of the shell. */
  get shellPolicy(): string {
    return shellPolicy(this.config.pictures);
  }

  /** @param request its address and language choose the modules that are loaded with the document */
  async shell(session: Session, request: Request): Promise<string> {
    const preferences = await this.preferences.all(session.account.userId);
    const chosen = LANGUAGES.find((language) => language === preferences.pages.values.language);
    const next = nextModules(request.path, chosen ?? languageOf(request));
    return shellDocument(await this.#settingOf(session, 'src/main.ts', preferences, next));
  }

  /** @returns null for an unknown page, or one that the visitor may not see */
  async embedded(session: Session, appId: string, name: string): Promise<string | null> {
    const page = await this.contributions.page(session.account, appId, name);
    if (page === null) {
      return null;
    }
    const { pages } = await this.preferences.all(session.account.userId);
    const setting = await this.#settingOf(session, 'src/embedded/main.ts', { pages });
    const withPrefix = (path: string) => setting.webRoot + path;
    return embeddedDocument(setting, {
      appId,
      title: page.entry.displayName,
      activeEntryId: page.entry.id,
      scripts: page.scriptPaths.slice(0, MOST_SCRIPTS).map(withPrefix),
      styles: page.stylePaths.map(withPrefix),
      initialStates: [
        ...(await this.#hostStates(session)),
        // Under the gateway's id for all apps: scripts look them up there.
        ...page.initialStates.map(({ key, text }) => ({ app: 'app_api', key, value: text })),
      ],
    });
  }

  /** Host state for the Nextcloud packages in front ends of apps. */
  async #hostStates({ account }: Session): Promise<InitialState[]> {
    const { text } = hostVersion(this.config);
    return [
      {
        app: 'core',
        key: 'config',
        value: { version: `${text}.0`, versionstring: text },
      },
      { app: 'core', key: 'capabilities', value: await this.capabilities.shownTo(account) },
    ];
  }

  async #settingOf(
    { account, requestToken }: Session,
    entry: string,
    preferences: PageSetting['preferences'],
    next: readonly string[] = [],
  ): Promise<PageSetting> {
    return {
      account,
      requestToken,
      preferences,
      webRoot: this.address.path,
      baseUrl: this.config.baseUrl,
      version: GATEFOLD_VERSION,
      pictures: this.config.pictures,
      files: await this.build.filesOf(entry, next),
    };
  }
}
