import { Offer } from './offer.js';

/** Kinds of recorded changes by administrators; users have further kinds. */
export const ADMINISTRATION_KINDS = [
  'user_changed',
  'user_invited',
  'group_created',
  'group_changed',
  'group_deleted',
  'group_joined',
  'group_left',
  'app_registered',
  'app_updated',
  'app_enabled',
  'app_disabled',
  'app_removed',
  'app_changed',
  'daemon_created',
  'daemon_changed',
  'daemon_removed',
  'tasks_changed',
  'feed_changed',
  'settings_changed',
  'backup_written',
  'announcement',
  'events_exported',
  'administration',
] as const;
export type AdministrationKind = (typeof ADMINISTRATION_KINDS)[number];

/** The subject of an event, besides a user. */
export interface EventSubject {
  readonly kind: 'group' | 'app' | 'daemon' | 'feed' | 'source' | 'task' | 'task type' | 'setting';
  readonly id: string;
}

/** A change by an administrator. */
export interface AdministrativeChange {
  readonly kind: AdministrationKind;
  /** The affected user. */
  readonly userId?: string | undefined;
  readonly subject?: EventSubject | undefined;
  /** A plain sentence or value; never a secret. */
  readonly details?: string | undefined;
}

/** Port to the audit log; implemented by `accounts/security`. */
export abstract class AdministrationLog {
  /** Adds the actor of the current work: user, address and kind of credential. */
  abstract record(change: AdministrativeChange): Promise<void>;

  /** Records that a user has allowed an external app to use the feed reader, or has revoked that. */
  abstract noteConsent(
    kind: 'app_allowed' | 'app_revoked',
    userId: string,
    appId: string,
  ): Promise<void>;

  /** Records that a user has published a list, or taken it back. @param details kind and id of the list, and how */
  abstract notePublication(
    kind: 'list_published' | 'list_withdrawn',
    userId: string,
    details: string,
  ): Promise<void>;
}

export class AdministrationLogOffer extends Offer<AdministrationLog> {}
