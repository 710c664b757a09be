import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Application } from 'express';
import { API_DOCUMENTS } from '../../../src/api-documents.js';
import { openApiOf, type OpenApi } from '../../../src/common/contracts/open-api.js';
import {
  routedHandlers,
  type RoutedHandler,
} from '../../../src/common/contracts/routed-handlers.js';

export function handlersOf(app: INestApplication): readonly RoutedHandler[] {
  const express = app.getHttpAdapter().getInstance() as Application;
  return routedHandlers(express, app.get(DiscoveryService, { strict: false }));
}

/** Every API document, with schemas that allow no other fields. */
export function strictDocuments(handlers: readonly RoutedHandler[]): readonly OpenApi[] {
  const options = { version: 'test', prefix: '', strict: true };
  return API_DOCUMENTS.documents.map((one) => openApiOf(one, handlers, API_DOCUMENTS, options));
}
