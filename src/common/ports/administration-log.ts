/** Port to the security events; implemented by `platform/security`. */
export abstract class AdministrationLog {
  /** Records a change by an administrator that has no specific event. */
  abstract note(details: string): Promise<void>;

  /** Records that a user has allowed an external app to use the feed reader, or has revoked that. */
  abstract noteConsent(
    kind: 'app_allowed' | 'app_revoked',
    userId: string,
    appId: string,
  ): Promise<void>;
}
