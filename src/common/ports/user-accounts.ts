/** Port for commands that work on accounts by user id; answered by `platform/users`. */
export abstract class UserAccounts {
  /** Every user id, those of disabled accounts too. */
  abstract allUserIds(): Promise<string[]>;

  /** @throws AccountNotFound unless there is such a user who is not disabled */
  abstract requireActive(userId: string): Promise<void>;

  /** @throws InvalidUserId when no account may have this user id */
  abstract assertUserId(userId: string): void;

  /**
   * Creates an account with a generated password.
   *
   * @returns the password, which is not stored and cannot be shown again
   * @throws AccountAlreadyExists
   */
  abstract create(userId: string): Promise<string>;
}
