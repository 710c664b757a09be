import {
  type EventSubject,
  ADMINISTRATION_KINDS,
} from '../../../common/ports/administration-log.js';

/** Kinds of recorded events; clients of the log filter by them. */
export const SECURITY_EVENT_KINDS = [
  'login',
  'login_failed',
  'login_throttled',
  'logout',
  'session_revoked',
  'password_changed',
  'second_factor_added',
  'second_factor_removed',
  'second_factor_reset',
  'second_factor_failed',
  'recovery_codes_renewed',
  'recovery_code_used',
  'app_password_created',
  'app_password_revoked',
  'app_password_expired',
  'app_allowed',
  'app_revoked',
  'list_published',
  'list_withdrawn',
  'user_created',
  'user_disabled',
  'user_enabled',
  'rights_granted',
  'rights_taken',
  'deletion_requested',
  'deletion_cancelled',
  'hold_begun',
  'hold_ended',
  'user_deleted',
  'account_exported',
  ...ADMINISTRATION_KINDS,
] as const;
export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number];

export interface NewSecurityEvent {
  readonly kind: SecurityEventKind;
  /** Id of an existing account only: users sometimes type their password into the name field. */
  readonly userId?: string | undefined;
  /** Subject of the event, besides the user. */
  readonly subject?: EventSubject | undefined;
  /** Client address of the request that caused it. */
  readonly address?: string | undefined;
  /** Details for administrators; never a secret. */
  readonly details?: string | undefined;
}

/** The actor of an event; undefined for the service itself. */
export interface EventActor {
  readonly actorId?: string | undefined;
  /** Kind of credential: `password`, `session`, `app password 7`, `external app talk_bot`, `command line`. */
  readonly credential?: string | undefined;
}

/** Conditions on events; null matches all. */
export interface SecurityEventFilter {
  /** Matches any of these kinds; never empty. */
  readonly kinds: readonly SecurityEventKind[] | null;
  /** Beginning of the id of the affected user, case-insensitive. */
  readonly user: string | null;
  /** Beginning of the id of who caused it, case-insensitive. */
  readonly actor: string | null;
  /** Beginning of the id of the group, app and so on that it is about, case-insensitive. */
  readonly subject: string | null;
  /** Beginning of the client address. */
  readonly address: string | null;
  /** Part of the details, case-insensitive. */
  readonly text: string | null;
  /** Unix seconds; included. */
  readonly fromSeconds: number | null;
  /** Unix seconds; excluded. */
  readonly toSeconds: number | null;
}
