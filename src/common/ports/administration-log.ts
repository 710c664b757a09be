/** Port to the security events; implemented by `platform/security`. */
export abstract class AdministrationLog {
  /** Records a change by an administrator that has no specific event. */
  abstract note(details: string): Promise<void>;
}
