import { ADMINISTRATION_KINDS } from '../../../common/ports/administration-log.js';

/** What is recorded; clients of the log filter by it. */
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
  'user_created',
  'user_disabled',
  'user_enabled',
  'rights_granted',
  'rights_taken',
  'user_deleted',
  ...ADMINISTRATION_KINDS,
] as const;
export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number];
