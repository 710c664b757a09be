import { entityOf, p } from '../../database/entity-of.js';
import type { ExAppStatus } from './app-state.js';

/** A registered external app. */
export class ExAppEntity extends entityOf('ex_app', {
  appId: p.text().primary(),
  name: p.text(),
  version: p.text(),
  daemonName: p.text().strictNullable(),
  /** Root of the app's routes, without trailing slash. */
  baseUrl: p.text(),
  secretSealed: p.blob(),
  /** The secret before the last rotation. */
  previousSecretSealed: p.blob().strictNullable(),
  previousSecretUntil: p.datetime().strictNullable(),
  /** Whether the app has shown since then that it has the present one. */
  secretSeen: p.boolean().default(true),
  enabled: p.boolean().default(false),
  status: p.json().$type<ExAppStatus>().defaultRaw("'{}'::jsonb"),
  isSystem: p.boolean().default(false),
  /** The latest successful connection check. */
  lastCheckAt: p.datetime().strictNullable(),
  /** When the app last asked for tasks, to within 30 seconds. */
  tasksAskedAt: p.datetime().strictNullable(),
  checkBeganAt: p.datetime().strictNullable(),
  initTimeoutMinutes: p.integer().default(40),
  /** The lease of the process that changes the app's state. */
  busyToken: p.uuid().strictNullable(),
  busyWith: p.text().strictNullable(),
  busyUntil: p.datetime().strictNullable(),
  createdAt: p.datetime().defaultRaw('now()'),
}) {}
