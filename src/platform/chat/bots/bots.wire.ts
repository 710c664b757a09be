import { z } from 'zod';
import { botActorId } from '../conversations/messages/message.js';
import type { BotChoice, InstalledBot } from './bots.service.js';

/** Receives messages (1), may answer (2), receives reactions (8). */
const BOT_FEATURES = 1 + 2 + 8;

export function toBotChoiceJson({ bot: { id, name, description }, enabled }: BotChoice) {
  return { id, name, description, state: enabled ? 1 : 0 };
}

/** @param prefix public address of the installation */
export function toInstalledBotJson(bot: InstalledBot, prefix: string) {
  return {
    id: bot.id,
    name: bot.name,
    description: bot.description,
    // Apps find their bots by the end of the URL, which is the route they registered.
    url: `${prefix}/ocs/v2.php/apps/app_api/api/v1/talk_proxy/${bot.appId}/${bot.route.replace(/^\//, '')}`,
    url_hash: botActorId(bot.botId),
    state: 1,
    features: BOT_FEATURES,
    error_count: bot.errorCount,
    last_error_date: bot.lastErrorSeconds,
    last_error_message: bot.lastError === '' ? null : bot.lastError,
  };
}

export const InstalledBotsAnswer = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    url: z.string(),
    url_hash: z.string(),
    state: z.int(),
    features: z.int(),
    error_count: z.int(),
    last_error_date: z.int().nullable(),
    last_error_message: z.string().nullable(),
  }),
);

export const BotChoicesAnswer = z.array(
  z.object({ id: z.int(), name: z.string(), description: z.string(), state: z.int() }),
);
