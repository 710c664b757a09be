import { Module } from '@nestjs/common';
import { BotAnswersController } from './bots/bot-answers.controller.js';
import { BotDeliveriesService } from './bots/bot-deliveries.service.js';
import { BotsController } from './bots/bots.controller.js';
import { BotsRepository } from './bots/bots.repository.js';
import { BotsService } from './bots/bots.service.js';
import { ChatCapabilities } from './chat-capabilities.js';
import { ConversationCreationService } from './conversations/conversation-creation.service.js';
import { ConversationViewsService } from './conversations/conversation-views.service.js';
import { ConversationWriter } from './conversations/conversation-writer.js';
import { ConversationsController } from './conversations/conversations.controller.js';
import { ConversationsRepository } from './conversations/conversations.repository.js';
import { ConversationsService } from './conversations/conversations.service.js';
import { ChatNotificationsService } from './messages/chat-notifications.service.js';
import { ChatSignals } from './messages/chat-signals.js';
import { LongPollLimit } from './messages/long-poll-limit.js';
import { MentionsService } from './messages/mentions.service.js';
import { MessageChangesService } from './messages/message-changes.service.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { MessagesService } from './messages/messages.service.js';
import { ShownMessagesService } from './messages/shown-messages.service.js';
import { TimelineService } from './messages/timeline.service.js';
import { AccountDeletionService } from './participants/account-deletion.service.js';
import { DisplayNames } from './participants/display-names.js';
import { ParticipantsController } from './participants/participants.controller.js';
import { ParticipantsRepository } from './participants/participants.repository.js';
import { ParticipantsService } from './participants/participants.service.js';
import { ReactionsController } from './reactions/reactions.controller.js';
import { ReactionsRepository } from './reactions/reactions.repository.js';
import { ReactionsService } from './reactions/reactions.service.js';
import { ReadMarkersController } from './read-markers/read-markers.controller.js';
import { ReadMarkersService } from './read-markers/read-markers.service.js';

/** Conversations of users and bots of external apps. */
@Module({
  controllers: [
    ConversationsController,
    ParticipantsController,
    // Before MessagesController, whose placeholder matches "read".
    ReadMarkersController,
    MessagesController,
    ReactionsController,
    // Before BotsController, whose placeholder matches "message".
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
    ConversationCreationService,
    ConversationViewsService,
    ConversationsRepository,
    ConversationsService,
    AccountDeletionService,
    MentionsService,
    MessageChangesService,
    MessagesRepository,
    MessagesService,
    ParticipantsRepository,
    ParticipantsService,
    DisplayNames,
    ReactionsRepository,
    ReactionsService,
    ReadMarkersService,
    ShownMessagesService,
    TimelineService,
    ConversationWriter,
    LongPollLimit,
  ],
})
export class ChatModule {}
