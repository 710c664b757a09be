import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { ConsentState } from './app-consent.entity.js';
import {
  decideConsent,
  insertQuestion,
  listConsents,
  readConsent,
  useConsent,
  type Consent,
} from './consents.sql.js';

export type { Consent };

/** Consents of users to apps, at most one per user and app. */
@Injectable()
export class ConsentsRepository {
  constructor(private readonly database: Database) {}

  /** @returns null if the app never asked, and the user did not decide */
  async read(userId: string, appId: string): Promise<ConsentState | null> {
    return readConsent(this.database, userId, appId);
  }

  /** The same, and notes the use of a granted one. */
  async use(userId: string, appId: string): Promise<ConsentState | null> {
    return useConsent(this.database, userId, appId);
  }

  /** Consents to enabled apps, by name. */
  async list(userId: string): Promise<Consent[]> {
    return listConsents(this.database, userId);
  }

  /** @returns false if the app has asked before, or the user has decided */
  async ask(userId: string, appId: string): Promise<boolean> {
    return insertQuestion(this.database, userId, appId);
  }

  /** @returns the former state, null for none; undefined if there is no such enabled app */
  async decide(
    userId: string,
    appId: string,
    state: 'granted' | 'refused',
  ): Promise<ConsentState | null | undefined> {
    return decideConsent(this.database, userId, appId, state);
  }
}
