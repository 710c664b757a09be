import { ConversationPath, integer } from '../chat.input.js';

export const BotPath = ConversationPath.extend({ botId: integer });
