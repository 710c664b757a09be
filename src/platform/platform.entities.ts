import { AccountEntity } from './users/account.entity.js';
import { AccountGroupEntity } from './groups/account-group.entity.js';
import { AccountGroupMemberEntity } from './groups/account-group-member.entity.js';
import { AppPasswordEntity } from './app-passwords/app-password.entity.js';
import { AvatarEntity } from './avatars/avatar.entity.js';
import { GatewayFailureEntity } from './throttle/gateway-failure.entity.js';
import { LdapAccountEntity } from './ldap/ldap-account.entity.js';
import { LoginFlowEntity } from './login-flow/login-flow.entity.js';
import { LoginSessionEntity } from './sessions/login-session.entity.js';
import { LoginThrottleEntity } from './throttle/login-throttle.entity.js';
import { UsedAllowanceEntity } from './throttle/used-allowance.entity.js';
import { NotificationEntity } from './notifications/notification.entity.js';
import { OidcIdentityEntity } from './oidc/oidc-identity.entity.js';
import { OidcSessionEntity } from './oidc/oidc-session.entity.js';
import { RecoveryCodeEntity } from './second-factor/recovery-code.entity.js';
import { TotpFactorEntity } from './second-factor/totp-factor.entity.js';
import { PasskeyEntity } from './passkeys/passkey.entity.js';
import { PasswordLinkEntity } from './password-links/password-link.entity.js';
import { ScimGroupEntity } from './scim/scim-group.entity.js';
import { ScimUserEntity } from './scim/scim-user.entity.js';
import { SecretKeyEntity } from './secrets/secret-key.entity.js';
import { SecurityEventEntity } from './security/security-event.entity.js';
import { UserPreferenceEntity } from './preferences/user-preference.entity.js';

/** Every table that this room owns. */
export const PLATFORM_ENTITIES = [
  AccountEntity,
  AccountGroupEntity,
  AccountGroupMemberEntity,
  AppPasswordEntity,
  AvatarEntity,
  GatewayFailureEntity,
  LdapAccountEntity,
  LoginFlowEntity,
  LoginSessionEntity,
  LoginThrottleEntity,
  UsedAllowanceEntity,
  NotificationEntity,
  OidcIdentityEntity,
  OidcSessionEntity,
  RecoveryCodeEntity,
  PasskeyEntity,
  PasswordLinkEntity,
  ScimGroupEntity,
  ScimUserEntity,
  SecretKeyEntity,
  SecurityEventEntity,
  TotpFactorEntity,
  UserPreferenceEntity,
];
