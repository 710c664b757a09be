/** A bot that an external app runs, as a chat room shows it. */
export interface ChatBot {
  readonly botId: string;
  readonly appId: string;
  /** Of the app, where the bot is told what happens; as the app wrote it. */
  readonly route: string;
  readonly name: string;
  readonly description: string;
}

/** What a bot sends to a chat room proves its origin by. */
export interface BotSignature {
  readonly random: string;
  /** HMAC-SHA256 in hex of `random` and the text that is signed, under the bot's secret. */
  readonly signature: string;
}

/**
 * How it went: the bot took the message; its app answered with an error of its own (5xx); its app
 * was not reached; there is no such bot, or its app is not enabled.
 */
export type BotDelivery = 'delivered' | 'failed' | 'unreachable' | 'unknown-bot';

/** Port to the chat bots of external apps; answered by the app-api room. */
export abstract class ChatBots {
  /** Bots of enabled apps, by name. */
  abstract list(): Promise<ChatBot[]>;

  /**
   * Signs a message for a bot and brings it there, once. The log says why it did not work.
   *
   * @param payload sent as JSON
   * @param signal breaks the attempt off
   */
  abstract deliver(botId: string, payload: unknown, signal?: AbortSignal): Promise<BotDelivery>;

  /**
   * Whose words these are.
   *
   * @param text what the bot signed: the message, or the reaction
   * @returns null when no bot of an enabled app signed them
   */
  abstract author(text: string, signature: BotSignature): Promise<ChatBot | null>;
}
