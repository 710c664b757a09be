import { Subject } from '../../../common/subjects/subject.js';
import { ThrottleModule } from '../../sign-in/throttle/throttle.module.js';
import { ConversationsModule } from '../conversations/conversations.module.js';
import { BotAnswersController } from './bot-answers.controller.js';
import { BotDeliveriesService } from './bot-deliveries.service.js';
import { BotsController } from './bots.controller.js';
import { BotsRepository, ChatBotEntity, ConversationBotEntity } from './bots.repository.js';
import { BotsService } from './bots.service.js';

@Subject({
  imports: [ConversationsModule, ThrottleModule],
  controllers: [BotAnswersController, BotsController],
  providers: [BotDeliveriesService, BotsRepository, BotsService],
  entities: [ChatBotEntity, ConversationBotEntity],
})
export class ChatBotsModule {}
