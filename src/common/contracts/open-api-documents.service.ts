import { Injectable } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import type { Application } from 'express';
import { PublicAddress } from '../http/public-address.js';
import { GATEFOLD_VERSION } from '../version.js';
import { ApiDocuments } from './api-document.js';
import { openApiOf } from './open-api.js';
import { routedHandlers } from './routed-handlers.js';

/** The API documents of this installation, made at their first use. */
@Injectable()
export class OpenApiDocuments {
  readonly #made = new Map<string, string>();

  constructor(
    private readonly all: ApiDocuments,
    private readonly discovery: DiscoveryService,
    private readonly adapterHost: HttpAdapterHost,
    private readonly address: PublicAddress,
  ) {}

  /** Names and titles. */
  list(): readonly { readonly name: string; readonly title: string }[] {
    return this.all.documents;
  }

  /** @returns JSON; null for an unknown name */
  find(name: string): string | null {
    const document = this.all.documents.find((one) => one.name === name);
    if (document === undefined) {
      return null;
    }
    const made = this.#made.get(name);
    if (made !== undefined) {
      return made;
    }
    const express = this.adapterHost.httpAdapter.getInstance<Application>();
    const handlers = routedHandlers(express, this.discovery);
    const options = { version: GATEFOLD_VERSION, prefix: this.address.path };
    const json = JSON.stringify(openApiOf(document, handlers, this.all, options));
    this.#made.set(name, json);
    return json;
  }
}
