import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../common/http/public-address.js';
import type { Session } from '../common/ports/sessions.js';
import { UiContributions } from '../common/ports/ui-contributions.js';
import { GATEFOLD_VERSION } from '../common/version.js';
import { PageBuild } from './page-build.js';
import { embeddedDocument, shellDocument, type PageSetting } from './page-document.js';

/** Writes the documents that browsers are given. */
@Injectable()
export class PagesService {
  constructor(
    private readonly build: PageBuild,
    private readonly address: PublicAddress,
    private readonly contributions: UiContributions,
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
      title: page.entry.displayName,
      activeEntryId: page.entry.id,
      scripts: page.scriptPaths.map(withPrefix),
      styles: page.stylePaths.map(withPrefix),
      initialStates: page.initialStates,
    });
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
