import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppsOrigin } from '../../common/config/apps-origin.js';
import { Config } from '../../common/config/config.js';
import { hostVersion } from '../../common/config/host-version.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { Capabilities } from '../../common/ports/capabilities.js';
import type { Session } from '../../common/ports/sessions.js';
import { UiContributionsOffer } from '../../common/ports/ui-contributions.js';
import type { Account } from '../../common/ports/user-directory.js';
import { LANGUAGES, languageOf } from '../../common/texts/languages.js';
import { GATEFOLD_VERSION } from '../../common/version.js';
import {
  PreferencesService,
  type AreaPreferences,
} from '../accounts/preferences/preferences.service.js';
import { MailService } from '../installation/mail/mail.service.js';
import { mayHavePassword } from '../sign-in/sign-in.settings.js';
import { PageBuild } from './page-build.service.js';
import {
  nextModules,
  embeddedDocument,
  framedDocument,
  shellDocument,
  type EmbeddedContents,
  type InitialState,
  type PageSetting,
} from './page-document.js';
import { shellPolicy } from './page-policies.js';
import { PageNotFound } from './pages.errors.js';

/** Pages of parts, by the beginning of their path. */
const PARTS_OF_PAGES = [
  ['/apps/news/save', 'saved-pages'],
  ['/apps/news', 'reader'],
  ['/apps/files', 'files'],
  ['/apps/spreed', 'chat'],
  ['/call/', 'chat'],
] as const;

/** Maximum scripts per page, as in Nextcloud. */
const MOST_SCRIPTS = 10;

const NOBODY: Account = { userId: '', displayName: '', isAdmin: false, lastLoginSeconds: 0 };

/** Renders the documents of pages. */
@Injectable()
export class PagesService {
  constructor(
    private readonly build: PageBuild,
    private readonly address: PublicAddress,
    private readonly appsOrigin: AppsOrigin,
    private readonly contributions: UiContributionsOffer,
    private readonly capabilities: Capabilities,
    private readonly preferences: PreferencesService,
    private readonly config: Config,
    private readonly mail: MailService,
  ) {}

  /** Content security policy of the shell. */
  get shellPolicy(): string {
    return shellPolicy(this.config.pictures);
  }

  /** Policy of a page that shows a page of an app in a frame. */
  policyWithFrame(appOrigin: string): string {
    return shellPolicy(this.config.pictures, appOrigin);
  }

  /**
   * @param request its address and language choose the modules that are loaded with the document
   * @throws PageNotFound if its part is off
   */
  async shell(session: Session, request: Request): Promise<string> {
    const part = PARTS_OF_PAGES.find(([start]) => request.path.startsWith(start))?.[1];
    if (part !== undefined && !this.config.parts.has(part)) {
      throw new PageNotFound(request.path);
    }
    const preferences = await this.preferences.all(session.account.userId);
    const language = languageFor(preferences.pages, request);
    const supported = LANGUAGES.find((known) => known === language) ?? languageOf(request);
    const next = nextModules(request.path, supported);
    return shellDocument(
      await this.#settingOf(session, 'src/main.ts', preferences, language, next),
    );
  }

  /** Whether a page exists and the visitor may see it. */
  async hasPage({ account }: Session, appId: string, name: string): Promise<boolean> {
    return !!(await this.contributions.service?.page(account, appId, name));
  }

  /** @returns null for an unknown page, or one that the visitor may not see */
  async embedded(
    session: Session,
    request: Request,
    appId: string,
    name: string,
  ): Promise<string | null> {
    const contents = await this.#contentsOf(session.account, appId, name);
    if (contents === null) {
      return null;
    }
    const { pages } = await this.preferences.all(session.account.userId);
    const language = languageFor(pages, request);
    return embeddedDocument(
      await this.#settingOf(session, 'src/embedded/main.ts', { pages }, language),
      contents,
    );
  }

  /**
   * The page on the origin of its app. It has no request token of ours.
   *
   * @param request its language is used if the user has chosen none
   */
  async framed(
    account: Account,
    request: Request,
    appId: string,
    name: string,
  ): Promise<string | null> {
    const contents = await this.#contentsOf(account, appId, name);
    if (contents === null) {
      return null;
    }
    const { pages } = await this.preferences.all(account.userId);
    const language = languageFor(pages, request);
    return this.#framedDocument(account, contents, { language, theme: pages.values['theme'] });
  }

  /** Shown in a frame without a valid pass. */
  async emptyFrame(appId: string): Promise<string> {
    const none = { title: '', activeEntryId: '', scripts: [], styles: [], initialStates: [] };
    return this.#framedDocument(NOBODY, { appId, ...none }, { language: 'en', theme: 'system' });
  }

  async #framedDocument(
    account: Account,
    contents: EmbeddedContents,
    values: { readonly language: string; readonly theme: unknown },
  ): Promise<string> {
    const preferences = { pages: { values, version: 0 } };
    const visitor = { account, requestToken: '' };
    const setting = await this.#settingOf(
      visitor,
      'src/framed/main.ts',
      preferences,
      values.language,
    );
    return framedDocument(setting, this.appsOrigin.ofHost, contents);
  }

  /** Path of the pages of an app, to which the name is appended. */
  pathOfApp(appId: string): string {
    return this.address.pathOf(`/apps/app_api/embedded/${encodeURIComponent(appId)}/`);
  }

  async #contentsOf(
    account: Account,
    appId: string,
    name: string,
  ): Promise<EmbeddedContents | null> {
    const page = await this.contributions.service?.page(account, appId, name);
    if (!page) {
      return null;
    }
    const withPrefix = (path: string) => this.address.pathOf(path);
    return {
      appId,
      title: page.entry.displayName,
      activeEntryId: page.entry.id,
      scripts: page.scriptPaths.slice(0, MOST_SCRIPTS).map(withPrefix),
      styles: page.stylePaths.map(withPrefix),
      initialStates: [
        ...(await this.#hostStates(account)),
        // Keyed by the gateway's id for all apps: scripts look them up there.
        ...page.initialStates.map(({ key, text }) => ({ app: 'app_api', key, value: text })),
      ],
    };
  }

  /** Host state for the Nextcloud packages in front ends of apps. */
  async #hostStates(account: Account): Promise<InitialState[]> {
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
    visitor: Session | Pick<Session, 'account' | 'requestToken'>,
    entry: string,
    preferences: PageSetting['preferences'],
    language: string,
    next: readonly string[] = [],
  ): Promise<PageSetting> {
    return {
      account: visitor.account,
      requestToken: visitor.requestToken,
      session: 'endsSeconds' in visitor ? visitor : undefined,
      preferences,
      language,
      webRoot: this.address.path,
      baseUrl: this.config.baseUrl,
      version: GATEFOLD_VERSION,
      pictures: this.config.pictures,
      parts: this.config.parts,
      sendsMail: this.mail.isConfigured,
      hasPassword: mayHavePassword(visitor.account.userId, this.config),
      files: await this.build.filesOf(entry, next),
    };
  }
}

/** The chosen language, or the browser's. */
function languageFor({ values }: AreaPreferences, request: Request): string {
  return String(values['language']) || languageOf(request);
}
