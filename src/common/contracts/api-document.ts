import { Offer } from '../ports/offer.js';
import type { SecurityScheme } from './security-schemes.js';

export type ErrorForm = 'json' | 'text' | 'ocs' | 'dav';

export interface ApiDocument {
  /** Name in its address: `/api/docs/NAME.json`. */
  readonly name: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** Error form of routes outside of the OCS roots. */
  readonly errors: Exclude<ErrorForm, 'ocs'>;
  /**
   * The path in the document for a path of the router; null if it is not in this document. Several
   * addresses of one route have the same.
   */
  readonly pathOf: (path: string) => string | null;
}

/** Routes that are in no document. */
export interface LeftOut {
  /** Matches the path or `Controller.method`. */
  readonly routes: RegExp;
  readonly reason: string;
}

export interface ApiDocuments {
  readonly documents: readonly ApiDocument[];
  readonly leftOut: readonly LeftOut[];
  /** Schemes by class name of the guard. Guards without authentication have an empty list. */
  readonly securityOfGuards: Readonly<Record<string, readonly SecurityScheme[]>>;
}

/** Filled by the application, which knows every room. */
export class ApiDocumentsOffer extends Offer<ApiDocuments> {}
