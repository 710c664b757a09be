/** Removes all data of a user in one room. Must be idempotent. */
type AccountEraser = (userId: string) => Promise<void>;

/** Rooms register a hook that deletes a user's data when the account is deleted. */
export class AccountDeletionHooks {
  readonly #erasers: AccountEraser[] = [];

  onErase(eraser: AccountEraser): void {
    this.#erasers.push(eraser);
  }

  async erase(userId: string): Promise<void> {
    for (const eraser of this.#erasers) {
      await eraser(userId);
    }
  }
}
