import { Offer } from './offer.js';

/** A bot of an external app in a chat room. */
export interface ChatBot {
  readonly botId: string;
  readonly appId: string;
  /** Route of the app for the bot's events, as registered. */
  readonly route: string;
  readonly name: string;
  readonly description: string;
}

/** Signature of a bot's message. */
export interface BotSignature {
  readonly random: string;
  /** HMAC-SHA256 in hex of `random` and the signed text, keyed with the bot's secret. */
  readonly signature: string;
}

/**
 * Result: the bot accepted the message; its app responded with 5xx; its app was unreachable; the
 * bot is unknown or its app not enabled.
 */
export type BotDelivery = 'delivered' | 'failed' | 'unreachable' | 'unknown-bot';

export interface ChatBots {
  /** Bots of enabled apps, by name. */
  list(): Promise<ChatBot[]>;

  /**
   * Signs and sends a message to a bot, without retry. Logs failures.
   *
   * @param payload sent as JSON
   * @param signal aborts the attempt
   */
  deliver(botId: string, payload: unknown, signal?: AbortSignal): Promise<BotDelivery>;

  /**
   * Identifies the bot that signed a text.
   *
   * @param text signed text: the message or reaction
   * @returns null if no bot of an enabled app signed it
   */
  author(text: string, signature: BotSignature): Promise<ChatBot | null>;
}

/** Filled by the app-api room. */
export class ChatBotsOffer extends Offer<ChatBots> {}
