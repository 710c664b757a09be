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
import { GroupsRepository } from './accounts/groups/groups.repository.js';
import { GroupsService } from './accounts/groups/groups.service.js';
import { ManagedGroupsService } from './accounts/groups/managed-groups.service.js';
import { AvatarsController } from './accounts/avatars/avatars.controller.js';
import { AvatarsRepository } from './accounts/avatars/avatars.repository.js';
import { AvatarsService } from './accounts/avatars/avatars.service.js';
import { FormLoginService } from './sign-in/login/form-login.service.js';
import { LoginAnswers } from './sign-in/login/login-answers.js';
import { SealedCookies } from './sign-in/login/sealed-cookies.js';
import { GrantController } from './sign-in/login-flow/grant.controller.js';
import { LdapAccounts } from './sign-in/ldap/ldap-accounts.js';
import { LdapAccountsRepository } from './sign-in/ldap/ldap-accounts.repository.js';
import { LdapCheck } from './sign-in/ldap/ldap-check.js';
import { LdapDirectory } from './sign-in/ldap/ldap-directory.js';
import { LdapLogin } from './sign-in/ldap/ldap-login.js';
import { LoginController } from './sign-in/login/login.controller.js';
import { LogoutController } from './sign-in/login/logout.controller.js';
import { LoginFlowController } from './sign-in/login-flow/login-flow.controller.js';
import { LoginFlowService } from './sign-in/login-flow/login-flow.service.js';
import { LoginFlowsRepository } from './sign-in/login-flow/login-flows.repository.js';
import { MailChecks } from './installation/mail/mail-checks.js';
import { MailServer } from './installation/mail/mail-server.js';
import { MailService } from './installation/mail/mail.service.js';
import { PasskeyAnswers } from './sign-in/second-factor/passkeys/passkey-answers.js';
import { PasskeyChallenges } from './sign-in/second-factor/passkeys/passkey-challenges.js';
import { PasskeyLoginController } from './sign-in/second-factor/passkeys/passkey-login.controller.js';
import { PasskeyLogins } from './sign-in/second-factor/passkeys/passkey-logins.js';
import { PasskeyPlaces } from './sign-in/second-factor/passkeys/passkey-place.js';
import { PasskeysController } from './sign-in/second-factor/passkeys/passkeys.controller.js';
import { PasskeysRepository } from './sign-in/second-factor/passkeys/passkeys.repository.js';
import { PasskeysService } from './sign-in/second-factor/passkeys/passkeys.service.js';
import { NotificationsController } from './notifications/notifications.controller.js';
import { NotificationsRepository } from './notifications/notifications.repository.js';
import { NotificationsService } from './notifications/notifications.service.js';
import { AppsController } from './installation/capabilities/apps.controller.js';
import { CapabilitiesController } from './installation/capabilities/capabilities.controller.js';
import { CoreCapabilities } from './installation/capabilities/core-capabilities.js';
import { GroupsController } from './accounts/groups/groups.controller.js';
import { AccountListController } from './accounts/users/account-list.controller.js';
import { UsersController } from './accounts/users/users.controller.js';
import { ChecksController } from './installation/checks/checks.controller.js';
import { ChecksService } from './installation/checks/checks.service.js';
import { HandshakeCookie } from './sign-in/oidc/handshake-cookie.js';
import { IdentityProvider } from './sign-in/oidc/identity-provider.js';
import { OidcAccountsService } from './sign-in/oidc/oidc-accounts.service.js';
import { OidcLoginService } from './sign-in/oidc/oidc-login.service.js';
import { OidcController } from './sign-in/oidc/oidc.controller.js';
import { OidcLogoutController } from './sign-in/oidc/oidc-logout.controller.js';
import { OidcLogoutService } from './sign-in/oidc/oidc-logout.service.js';
import { OidcRepository } from './sign-in/oidc/oidc.repository.js';
import { SCIM_RESOURCES_CONTROLLERS } from './sign-in/scim/scim-resources.controllers.js';
import { ScimGroupsService } from './sign-in/scim/scim-groups.service.js';
import { ScimRepository } from './sign-in/scim/scim.repository.js';
import { ScimServiceController } from './sign-in/scim/scim-service.controller.js';
import { ScimUsersService } from './sign-in/scim/scim-users.service.js';
import { FactorChangesRepository } from './sign-in/second-factor/factor-changes.repository.js';
import { FactorCheck } from './sign-in/second-factor/factor-check.js';
import { HalfLoginController } from './sign-in/second-factor/half-login.controller.js';
import { HalfLogins } from './sign-in/second-factor/half-logins.js';
import { ProofController } from './sign-in/second-factor/proof.controller.js';
import { ProofService } from './sign-in/second-factor/proof.service.js';
import { SecondFactorCodes } from './sign-in/second-factor/second-factor-codes.js';
import { SecondFactorAdminController } from './sign-in/second-factor/second-factor-admin.controller.js';
import { SecondFactorResets } from './sign-in/second-factor/second-factor-resets.js';
import { SecondFactorRule } from './sign-in/second-factor/second-factor-rule.js';
import { SecondFactorsController } from './sign-in/second-factor/second-factors.controller.js';
import { SecondFactorsRepository } from './sign-in/second-factor/second-factors.repository.js';
import { SecondFactorsService } from './sign-in/second-factor/second-factors.service.js';
import { SecurityTxtController } from './accounts/security/security-txt.controller.js';
import { SecurityEventsController } from './accounts/security/security-events.controller.js';
import { SecurityEventsRepository } from './accounts/security/security-events.repository.js';
import { SecurityEventsService } from './accounts/security/security-events.service.js';
import { BrowserSessions } from './sign-in/sessions/browser-sessions.js';
import { SecretChecks } from './installation/secrets/secret-checks.js';
import { SecretKeyRepository } from './installation/secrets/secret-key.repository.js';
import { SecretKeyService } from './installation/secrets/secret-key.service.js';
import { SessionCookie } from './sign-in/sessions/session-cookie.js';
import { SessionsController } from './sign-in/sessions/sessions.controller.js';
import { SessionsRepository } from './sign-in/sessions/sessions.repository.js';
import { SessionsService } from './sign-in/sessions/sessions.service.js';
import { StatusPhpController } from './installation/capabilities/status-php.controller.js';
import { TrustedHeaderLogin } from './sign-in/trusted-header/trusted-header-login.js';
import { IconsController } from './installation/navigation/icons.controller.js';
import { NavigationController } from './installation/navigation/navigation.controller.js';
import { AccessChangesService } from './accounts/users/access-changes.service.js';
import { AccountDeletions } from './accounts/users/account-deletions.js';
import { AccountPasswordGuard } from './sign-in/passwords/account-password.guard.js';
import { AppPasswordsController } from './sign-in/app-passwords/app-passwords.controller.js';
import { AppPasswordsRepository } from './sign-in/app-passwords/app-passwords.repository.js';
import { AppPasswordsService } from './sign-in/app-passwords/app-passwords.service.js';
import { ProgramLoginsService } from './sign-in/app-passwords/program-logins.service.js';
import { AutocompleteController } from './accounts/users/autocomplete.controller.js';
import { FirstAdministrator } from './accounts/users/first-administrator.js';
import { LoginService } from './sign-in/passwords/login.service.js';
import { AllowancesRepository } from './sign-in/throttle/allowances.repository.js';
import { AllowancesService } from './sign-in/throttle/allowances.service.js';
import { GatewayThrottleService } from './sign-in/throttle/gateway-throttle.service.js';
import { ThrottleRepository } from './sign-in/throttle/throttle.repository.js';
import { LoginThrottle } from './sign-in/throttle/login-throttle.js';
import { OwnAppPasswordController } from './sign-in/app-passwords/own-app-password.controller.js';
import { OwnPasswordController } from './sign-in/passwords/own-password.controller.js';
import { OwnPasswordService } from './sign-in/passwords/own-password.service.js';
import { NewPasswords } from './sign-in/passwords/new-passwords.js';
import { PasswordVerification } from './sign-in/passwords/password-verification.js';
import { InvitationsService } from './sign-in/password-links/invitations.service.js';
import { LinkPasswordsService } from './sign-in/password-links/link-passwords.service.js';
import { PasswordLinksController } from './sign-in/password-links/password-links.controller.js';
import { AddressChecks } from './sign-in/password-links/address-checks.js';
import { PasswordLinksRepository } from './sign-in/password-links/password-links.repository.js';
import { PasswordMailTexts } from './sign-in/password-links/password-mail-texts.js';
import { PasswordMails } from './sign-in/password-links/password-mails.js';
import { ResetRequestsService } from './sign-in/password-links/reset-requests.service.js';
import { ResetThrottle } from './sign-in/password-links/reset-throttle.js';
import { CredentialVerifier } from './sign-in/passwords/credential-verifier.js';
import { PasswordHash } from './sign-in/passwords/password-hash.js';
import { UserPreferencesController } from './accounts/preferences/user-preferences.controller.js';
import { PreferencesRepository } from './accounts/preferences/preferences.repository.js';
import { PreferencesService } from './accounts/preferences/preferences.service.js';
import { AccountQuotas } from './accounts/users/account-quotas.js';
import { ProvisioningService } from './accounts/users/provisioning.service.js';
import { UsersRepository } from './accounts/users/users.repository.js';
import { UserAccountsService } from './accounts/users/user-accounts.service.js';
import { UsersService } from './accounts/users/users.service.js';
import { RecentLoginService } from './sign-in/passwords/recent-login.service.js';
import { RememberedLogins } from './sign-in/passwords/remembered-logins.js';

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
