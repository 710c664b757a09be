import { Global, Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { AuthModule } from '../common/auth/auth.module.js';
import { Config } from '../common/config/config.js';
import { OutgoingHttpModule } from '../common/http/outgoing-http.module.js';
import { AccessChanges } from '../common/ports/access-changes.js';
import { AdministrationLog } from '../common/ports/administration-log.js';
import { ExAppUninstallHooks } from '../common/ports/ex-app-uninstall-hooks.js';
import { Capabilities } from '../common/ports/capabilities.js';
import { Allowances } from '../common/ports/allowances.js';
import { GatewayThrottle } from '../common/ports/gateway-throttle.js';
import { Mail } from '../common/ports/mail.js';
import { NewsEvents } from '../common/ports/news-events.js';
import { NodeEvents } from '../common/ports/node-events.js';
import { NotificationCenter, NotificationSenders } from '../common/ports/notification-center.js';
import { AccountDeletionHooks } from '../common/ports/account-deletion-hooks.js';
import { Sessions } from '../common/ports/sessions.js';
import { SealedValues } from '../common/ports/sealed-values.js';
import { StorageUses } from '../common/ports/storage-use.js';
import { SecretBox } from '../common/secrets/secret-box.js';
import { UserAccounts } from '../common/ports/user-accounts.js';
import { ProgramLogins } from '../common/ports/program-logins.js';
import { UserDirectory } from '../common/ports/user-directory.js';
import { UserPreferences } from '../common/ports/user-preferences.js';
import { UserGroups } from '../common/ports/user-groups.js';
import { GroupsRepository } from './groups/groups.repository.js';
import { GroupsService } from './groups/groups.service.js';
import { ManagedGroupsService } from './groups/managed-groups.service.js';
import { AvatarsController } from './avatars/avatars.controller.js';
import { AvatarsRepository } from './avatars/avatars.repository.js';
import { AvatarsService } from './avatars/avatars.service.js';
import { FormLoginService } from './login/form-login.service.js';
import { LoginAnswers } from './login/login-answers.js';
import { SealedCookies } from './login/sealed-cookies.js';
import { GrantController } from './login-flow/grant.controller.js';
import { LdapAccounts } from './ldap/ldap-accounts.js';
import { LdapAccountsRepository } from './ldap/ldap-accounts.repository.js';
import { LdapCheck } from './ldap/ldap-check.js';
import { LdapDirectory } from './ldap/ldap-directory.js';
import { LdapLogin } from './ldap/ldap-login.js';
import { LoginController } from './login/login.controller.js';
import { LogoutController } from './login/logout.controller.js';
import { LoginFlowController } from './login-flow/login-flow.controller.js';
import { LoginFlowService } from './login-flow/login-flow.service.js';
import { LoginFlowsRepository } from './login-flow/login-flows.repository.js';
import { MailChecks } from './mail/mail-checks.js';
import { MailServer } from './mail/mail-server.js';
import { MailService } from './mail/mail.service.js';
import { PasskeyAnswers } from './passkeys/passkey-answers.js';
import { PasskeyChallenges } from './passkeys/passkey-challenges.js';
import { PasskeyLoginController } from './passkeys/passkey-login.controller.js';
import { PasskeyLogins } from './passkeys/passkey-logins.js';
import { PasskeyPlaces } from './passkeys/passkey-place.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import { PasskeysRepository } from './passkeys/passkeys.repository.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { NotificationsController } from './notifications/notifications.controller.js';
import { NotificationsRepository } from './notifications/notifications.repository.js';
import { NotificationsService } from './notifications/notifications.service.js';
import { AppsController } from './capabilities/apps.controller.js';
import { CapabilitiesController } from './capabilities/capabilities.controller.js';
import { CoreCapabilities } from './capabilities/core-capabilities.js';
import { GroupsController } from './groups/groups.controller.js';
import { AccountListController } from './users/account-list.controller.js';
import { UsersController } from './users/users.controller.js';
import { ChecksController } from './checks/checks.controller.js';
import { ChecksService } from './checks/checks.service.js';
import { HandshakeCookie } from './oidc/handshake-cookie.js';
import { IdentityProvider } from './oidc/identity-provider.js';
import { OidcAccountsService } from './oidc/oidc-accounts.service.js';
import { OidcLoginService } from './oidc/oidc-login.service.js';
import { OidcController } from './oidc/oidc.controller.js';
import { OidcLogoutController } from './oidc/oidc-logout.controller.js';
import { OidcLogoutService } from './oidc/oidc-logout.service.js';
import { OidcRepository } from './oidc/oidc.repository.js';
import { SCIM_RESOURCES_CONTROLLERS } from './scim/scim-resources.controllers.js';
import { ScimGroupsService } from './scim/scim-groups.service.js';
import { ScimRepository } from './scim/scim.repository.js';
import { ScimServiceController } from './scim/scim-service.controller.js';
import { ScimUsersService } from './scim/scim-users.service.js';
import { FactorChangesRepository } from './second-factor/factor-changes.repository.js';
import { FactorCheck } from './second-factor/factor-check.js';
import { HalfLoginController } from './second-factor/half-login.controller.js';
import { HalfLogins } from './second-factor/half-logins.js';
import { ProofController } from './second-factor/proof.controller.js';
import { ProofService } from './second-factor/proof.service.js';
import { SecondFactorCodes } from './second-factor/second-factor-codes.js';
import { SecondFactorAdminController } from './second-factor/second-factor-admin.controller.js';
import { SecondFactorResets } from './second-factor/second-factor-resets.js';
import { SecondFactorRule } from './second-factor/second-factor-rule.js';
import { SecondFactorsController } from './second-factor/second-factors.controller.js';
import { SecondFactorsRepository } from './second-factor/second-factors.repository.js';
import { SecondFactorsService } from './second-factor/second-factors.service.js';
import { SecurityTxtController } from './security/security-txt.controller.js';
import { SecurityEventsController } from './security/security-events.controller.js';
import { SecurityEventsRepository } from './security/security-events.repository.js';
import { SecurityEventsService } from './security/security-events.service.js';
import { BrowserSessions } from './sessions/browser-sessions.js';
import { SecretChecks } from './secrets/secret-checks.js';
import { SecretKeyRepository } from './secrets/secret-key.repository.js';
import { SecretKeyService } from './secrets/secret-key.service.js';
import { SessionCookie } from './sessions/session-cookie.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';
import { StatusPhpController } from './capabilities/status-php.controller.js';
import { TrustedHeaderLogin } from './trusted-header/trusted-header-login.js';
import { IconsController } from './navigation/icons.controller.js';
import { NavigationController } from './navigation/navigation.controller.js';
import { AccessChangesService } from './users/access-changes.service.js';
import { AccountDeletions } from './users/account-deletions.js';
import { AccountPasswordGuard } from './passwords/account-password.guard.js';
import { AppPasswordsController } from './app-passwords/app-passwords.controller.js';
import { AppPasswordsRepository } from './app-passwords/app-passwords.repository.js';
import { AppPasswordsService } from './app-passwords/app-passwords.service.js';
import { ProgramLoginsService } from './app-passwords/program-logins.service.js';
import { AutocompleteController } from './users/autocomplete.controller.js';
import { FirstAdministrator } from './users/first-administrator.js';
import { LoginService } from './passwords/login.service.js';
import { AllowancesRepository } from './throttle/allowances.repository.js';
import { AllowancesService } from './throttle/allowances.service.js';
import { GatewayThrottleService } from './throttle/gateway-throttle.service.js';
import { ThrottleRepository } from './throttle/throttle.repository.js';
import { LoginThrottle } from './throttle/login-throttle.js';
import { OwnAppPasswordController } from './app-passwords/own-app-password.controller.js';
import { OwnPasswordController } from './passwords/own-password.controller.js';
import { OwnPasswordService } from './passwords/own-password.service.js';
import { NewPasswords } from './passwords/new-passwords.js';
import { PasswordVerification } from './passwords/password-verification.js';
import { InvitationsService } from './password-links/invitations.service.js';
import { LinkPasswordsService } from './password-links/link-passwords.service.js';
import { PasswordLinksController } from './password-links/password-links.controller.js';
import { AddressChecks } from './password-links/address-checks.js';
import { PasswordLinksRepository } from './password-links/password-links.repository.js';
import { PasswordMailTexts } from './password-links/password-mail-texts.js';
import { PasswordMails } from './password-links/password-mails.js';
import { ResetRequestsService } from './password-links/reset-requests.service.js';
import { ResetThrottle } from './password-links/reset-throttle.js';
import { CredentialVerifier } from './passwords/credential-verifier.js';
import { PasswordHash } from './passwords/password-hash.js';
import { UserPreferencesController } from './preferences/user-preferences.controller.js';
import { PreferencesRepository } from './preferences/preferences.repository.js';
import { PreferencesService } from './preferences/preferences.service.js';
import { AccountQuotas } from './users/account-quotas.js';
import { ProvisioningService } from './users/provisioning.service.js';
import { UsersRepository } from './users/users.repository.js';
import { UserAccountsService } from './users/user-accounts.service.js';
import { UsersService } from './users/users.service.js';
import { RecentLoginService } from './passwords/recent-login.service.js';
import { RememberedLogins } from './passwords/remembered-logins.js';

/** The host platform that the two APIs need to be usable. Exports the ports that it answers. */
@Global()
@Module({
  imports: [AuthModule, OutgoingHttpModule],
  controllers: [
    AppsController,
    CapabilitiesController,
    ChecksController,
    AccountListController,
    UsersController,
    GroupsController,
    AutocompleteController,
    AvatarsController,
    StatusPhpController,
    NotificationsController,
    NavigationController,
    IconsController,
    AppPasswordsController,
    GrantController,
    LoginController,
    HalfLoginController,
    PasskeyLoginController,
    PasskeysController,
    PasswordLinksController,
    LogoutController,
    OidcController,
    OidcLogoutController,
    ScimServiceController,
    ...SCIM_RESOURCES_CONTROLLERS,
    LoginFlowController,
    OwnAppPasswordController,
    OwnPasswordController,
    UserPreferencesController,
    SecondFactorsController,
    ProofController,
    SecondFactorAdminController,
    SecurityEventsController,
    SecurityTxtController,
    SessionsController,
  ],
  providers: [
    AccountDeletions,
    AccountQuotas,
    AccountPasswordGuard,
    AllowancesRepository,
    ExAppUninstallHooks,
    AppPasswordsRepository,
    AppPasswordsService,
    AvatarsRepository,
    AvatarsService,
    BrowserSessions,
    ChecksService,
    CoreCapabilities,
    FactorChangesRepository,
    FactorCheck,
    FirstAdministrator,
    FormLoginService,
    HalfLogins,
    HandshakeCookie,
    GroupsRepository,
    ManagedGroupsService,
    GroupsService,
    IdentityProvider,
    CredentialVerifier,
    LdapAccounts,
    LdapAccountsRepository,
    LdapCheck,
    LdapDirectory,
    LdapLogin,
    LoginAnswers,
    LoginService,
    LoginFlowService,
    LoginFlowsRepository,
    LoginThrottle,
    MailChecks,
    MailServer,
    MailService,
    NotificationsRepository,
    NotificationsService,
    OidcAccountsService,
    OidcLoginService,
    OidcLogoutService,
    OidcRepository,
    ScimRepository,
    ScimUsersService,
    ScimGroupsService,
    NewPasswords,
    InvitationsService,
    LinkPasswordsService,
    AddressChecks,
    PasswordLinksRepository,
    PasswordMailTexts,
    PasswordMails,
    ResetRequestsService,
    ResetThrottle,
    PasskeyAnswers,
    PasskeyChallenges,
    PasskeyLogins,
    PasskeyPlaces,
    PasskeysRepository,
    PasskeysService,
    PasswordHash,
    PasswordVerification,
    PreferencesRepository,
    PreferencesService,
    ProofService,
    ProvisioningService,
    SealedCookies,
    SealedValues,
    SecondFactorCodes,
    SecondFactorRule,
    SecondFactorsRepository,
    SecondFactorsService,
    SecondFactorResets,
    SecretBox,
    SecretChecks,
    SecretKeyRepository,
    SecretKeyService,
    SessionCookie,
    SessionsRepository,
    SessionsService,
    ThrottleRepository,
    TrustedHeaderLogin,
    OwnPasswordService,
    SecurityEventsRepository,
    SecurityEventsService,
    UsersRepository,
    UserAccountsService,
    UsersService,
    RecentLoginService,
    RememberedLogins,
    Capabilities,
    NewsEvents,
    NodeEvents,
    NotificationSenders,
    AccountDeletionHooks,
    StorageUses,
    { provide: AccessChanges, useClass: AccessChangesService },
    { provide: AdministrationLog, useExisting: SecurityEventsService },
    { provide: Allowances, useClass: AllowancesService },
    { provide: GatewayThrottle, useClass: GatewayThrottleService },
    { provide: Mail, useExisting: MailService },
    { provide: NotificationCenter, useExisting: NotificationsService },
    { provide: ProgramLogins, useClass: ProgramLoginsService },
    { provide: Sessions, useExisting: SessionsService },
    { provide: UserAccounts, useExisting: UserAccountsService },
    { provide: UserDirectory, useExisting: UsersService },
    { provide: UserGroups, useExisting: GroupsService },
    { provide: UserPreferences, useExisting: PreferencesService },
  ],
  exports: [
    AccessChanges,
    AdministrationLog,
    Allowances,
    ExAppUninstallHooks,
    Capabilities,
    GatewayThrottle,
    Mail,
    NewsEvents,
    NodeEvents,
    NotificationCenter,
    NotificationSenders,
    AccountDeletionHooks,
    ProgramLogins,
    SealedValues,
    Sessions,
    StorageUses,
    UserAccounts,
    UserDirectory,
    UserGroups,
    UserPreferences,
  ],
})
export class PlatformModule implements NestModule {
  constructor(private readonly config: Config) {}

  configure(consumer: MiddlewareConsumer): void {
    if (this.config.trustedLogin !== undefined) {
      consumer.apply(TrustedHeaderLogin).forRoutes('*splat');
    }
  }
}
