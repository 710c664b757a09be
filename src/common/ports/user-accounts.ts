/** Port for commands on accounts by user id; implemented by `accounts/users`. */
export abstract class UserAccounts {
  /** Ids of all users, including disabled ones. */
  abstract allUserIds(): Promise<string[]>;

  /** @throws AccountNotFound for an unknown or disabled user */
  abstract requireActive(userId: string): Promise<void>;

  /** @throws InvalidUserId */
  abstract assertUserId(userId: string): void;

  /**
   * Creates an account with a generated password.
   *
   * @returns the password, of which only the hash is stored
   * @throws AccountAlreadyExists
   */
  abstract create(userId: string): Promise<string>;
}
