/** What a user enters to prove who they are: one of the two. */
export interface Proof {
  readonly password?: string;
  /** Of an authenticator app, or a recovery code. */
  readonly code?: string;
}
