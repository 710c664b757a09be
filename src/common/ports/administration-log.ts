/** Port to the security events; answered by `platform/security`. */
export abstract class AdministrationLog {
  /** Notes that an administrator changed something that has no event of its own. */
  abstract note(details: string): Promise<void>;
}
