import { Module } from '@nestjs/common';
import { BotAnswersController } from './bots/bot-answers.controller.js';
import { BotsController } from './bots/bots.controller.js';
import { MessagesController } from './messages/messages.controller.js';
import { ParticipantsController } from './participants/participants.controller.js';
import { ReactionsController } from './reactions/reactions.controller.js';
import { RoomsController } from './conversations/conversations.controller.js';
import { BotDeliveriesService } from './bots/bot-deliveries.service.js';
import { BotsService } from './bots/bots.service.js';
import { ChatCapabilities } from './chat-capabilities.js';
import { ChatNotificationsService } from './messages/chat-notifications.service.js';
import { ChatSignals } from './messages/chat-signals.js';
import { ConversationViewsService } from './conversations/conversation-views.service.js';
import { ConversationsService } from './conversations/conversations.service.js';
import { ErasureService } from './participants/account-deletion.service.js';
import { MessagesService } from './messages/messages.service.js';
import { ParticipantsService } from './participants/participants.service.js';
import { People } from './participants/display-names.js';
import { ReactionsService } from './reactions/reactions.service.js';
import { ReadMarkersService } from './read-markers/read-markers.service.js';
import { BotsRepository } from './bots/bots.repository.js';
import { ConversationsRepository } from './conversations/conversations.repository.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { ParticipantsRepository } from './participants/participants.repository.js';
import { ReactionsRepository } from './reactions/reactions.repository.js';
import { TimelineService } from './messages/timeline.service.js';
import { WaitingRoom } from './messages/long-poll-limit.js';
import { Transcript } from './conversations/conversation-writer.js';

/** Conversations between people, in which bots of external apps take part. */
@Module({
  controllers: [
    RoomsController,
    ParticipantsController,
    MessagesController,
    ReactionsController,
    // Before the one whose placeholder would take "message" for a bot.
    BotAnswersController,
    BotsController,
  ],
  providers: [
    BotDeliveriesService,
    BotsRepository,
    BotsService,
    ChatCapabilities,
    ChatNotificationsService,
    ChatSignals,
    ConversationViewsService,
    ConversationsRepository,
    ConversationsService,
    ErasureService,
    MessagesRepository,
    MessagesService,
    ParticipantsRepository,
    ParticipantsService,
    People,
    ReactionsRepository,
    ReactionsService,
    ReadMarkersService,
    TimelineService,
    Transcript,
    WaitingRoom,
  ],
})
export class ChatModule {}
