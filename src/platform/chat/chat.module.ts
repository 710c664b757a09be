import { Subject } from '../../common/subjects/subject.js';
import { ChatBotsModule } from './bots/bots.module.js';
import { ConversationsModule } from './conversations/conversations.module.js';

/** Conversations of users and bots of external apps. */
@Subject({
  imports: [ChatBotsModule, ConversationsModule],
})
export class ChatModule {}
