import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import { OpenApiDocuments } from '../../../common/contracts/open-api-documents.service.js';
import { PlatformSettings } from '../../platform.settings.js';
import { PageNotFound } from '../pages.errors.js';
import { indexPage, viewerPage } from './viewer-page.js';

/**
 * The API documents and their viewer.
 *
 * @see docs/decisions/0058-api-documents.md
 */
@Injectable()
export class ApiDocsService {
  constructor(
    private readonly settings: PlatformSettings,
    private readonly documents: OpenApiDocuments,
    private readonly address: PublicAddress,
  ) {}

  /** @throws PageNotFound with `GATEFOLD_API_DOCS=off` */
  index(): string {
    this.assertOn();
    return indexPage(this.address.path, this.documents.list());
  }

  /** @throws PageNotFound also for an unknown name */
  viewer(name: string): string {
    this.assertOn();
    const document = this.documents.list().find((one) => one.name === name);
    if (document === undefined) {
      throw new PageNotFound(`/api/docs/${name}`);
    }
    return viewerPage(this.address.path, this.documents.list(), document);
  }

  /** @returns JSON. @throws PageNotFound */
  document(name: string): string {
    this.assertOn();
    const json = this.documents.find(name);
    if (json === null) {
      throw new PageNotFound(`/api/docs/${name}.json`);
    }
    return json;
  }

  /** @throws PageNotFound */
  assertOn(): void {
    PageNotFound.unless(this.settings.apiDocs, '/api/docs');
  }
}
