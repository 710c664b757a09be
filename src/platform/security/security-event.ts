import type { SecurityEventKind } from './security-event-kinds.js';

export interface NewSecurityEvent {
  readonly kind: SecurityEventKind;
  /** Only of an existing account: users sometimes type their password into the name field. */
  readonly userId?: string | undefined;
  /** Client address of the request that caused it. */
  readonly address?: string | undefined;
  /** For administrators to read; never a secret. */
  readonly details?: string | undefined;
}

/** Who caused an event; undefined for the service itself. */
export interface EventActor {
  readonly actorId?: string | undefined;
  /** Kind of credential: `password`, `session`, `app password 7`, `external app talk_bot`, `command line`. */
  readonly credential?: string | undefined;
}

/** Conditions on events; null matches all. */
export interface SecurityEventFilter {
  readonly kind: SecurityEventKind | null;
  /** Beginning of the user id, case-insensitive. */
  readonly user: string | null;
  /** Beginning of the client address. */
  readonly address: string | null;
}
