/** Removes everything one room keeps about a user. Must be repeatable: it may run twice. */
export type AccountEraser = (userId: string) => Promise<void>;

/**
 * Where rooms that keep data about users register how to remove it, so that deleting an account
 * leaves nothing behind although no room knows another.
 */
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
