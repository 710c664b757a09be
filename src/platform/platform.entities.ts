import { AccountEntity } from './accounts/users/account.entity.js';
import { AccountGroupEntity } from './accounts/groups/account-group.entity.js';
import { AccountGroupMemberEntity } from './accounts/groups/account-group-member.entity.js';
import { AppPasswordEntity } from './sign-in/app-passwords/app-password.entity.js';
import { AvatarEntity } from './accounts/avatars/avatar.entity.js';
import { GatewayFailureEntity } from './sign-in/throttle/gateway-failure.entity.js';
import { LdapAccountEntity } from './sign-in/ldap/ldap-account.entity.js';
import { LoginFlowEntity } from './sign-in/login-flow/login-flow.entity.js';
import { LoginSessionEntity } from './sign-in/sessions/login-session.entity.js';
import { LoginThrottleEntity } from './sign-in/throttle/login-throttle.entity.js';
import { UsedAllowanceEntity } from './sign-in/throttle/used-allowance.entity.js';
import { NotificationEntity } from './notifications/notification.entity.js';
import { OidcIdentityEntity } from './sign-in/oidc/oidc-identity.entity.js';
import { OidcSessionEntity } from './sign-in/oidc/oidc-session.entity.js';
import { RecoveryCodeEntity } from './sign-in/second-factor/recovery-code.entity.js';
import { TotpFactorEntity } from './sign-in/second-factor/totp-factor.entity.js';
import { PasskeyEntity } from './sign-in/second-factor/passkeys/passkey.entity.js';
import { PasswordLinkEntity } from './sign-in/password-links/password-link.entity.js';
import { ScimGroupEntity } from './sign-in/scim/scim-group.entity.js';
import { ScimUserEntity } from './sign-in/scim/scim-user.entity.js';
import { SecretKeyEntity } from './installation/secrets/secret-key.entity.js';
import { SecurityEventEntity } from './accounts/security/security-event.entity.js';
import { UserPreferenceEntity } from './accounts/preferences/user-preference.entity.js';

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
