import { Injectable } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import type { Application } from 'express';
import { PublicAddress } from '../config/public-address.js';
import { GATEFOLD_VERSION } from '../version.js';
import { ApiDocumentsOffer, type ApiDocument } from './api-document.js';
import { openApiOf } from './open-api.js';
import { routedHandlers, type RoutedHandler } from './routed-handlers.js';

/** The API documents of this installation, made at their first use. */
@Injectable()
export class OpenApiDocuments {
  readonly #made = new Map<string, string>();
  #handlers: readonly RoutedHandler[] | undefined;

  constructor(
    private readonly all: ApiDocumentsOffer,
    private readonly discovery: DiscoveryService,
    private readonly adapterHost: HttpAdapterHost,
    private readonly address: PublicAddress,
  ) {}

  /** Documents with routes; a part that is off has none. */
  list(): readonly ApiDocument[] {
    this.#handlers ??= routedHandlers(
      this.adapterHost.httpAdapter.getInstance<Application>(),
      this.discovery,
    );
    const paths = this.#handlers.map(({ mainPath }) => mainPath);
    return this.all.required.documents.filter(({ pathOf }) =>
      paths.some((path) => pathOf(path) !== null),
    );
  }

  /** @returns JSON; null for an unknown name */
  find(name: string): string | null {
    const document = this.list().find((one) => one.name === name);
    if (document === undefined) {
      return null;
    }
    const made = this.#made.get(name);
    if (made !== undefined) {
      return made;
    }
    const options = { version: GATEFOLD_VERSION, prefix: this.address.path };
    const json = JSON.stringify(
      openApiOf(document, this.#handlers ?? [], this.all.required, options),
    );
    this.#made.set(name, json);
    return json;
  }
}
