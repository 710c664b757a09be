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
import { ChatNotificationsService } from './conversations/messages/chat-notifications.service.js';
import { ChatSignals } from './conversations/messages/chat-signals.js';
import { LongPollLimit } from './conversations/messages/long-poll-limit.js';
import { MentionsService } from './conversations/messages/mentions.service.js';
import { MessageChangesService } from './conversations/messages/message-changes.service.js';
import { MessagesController } from './conversations/messages/messages.controller.js';
import { MessagesRepository } from './conversations/messages/messages.repository.js';
import { MessagesService } from './conversations/messages/messages.service.js';
import { ShownMessagesService } from './conversations/messages/shown-messages.service.js';
import { TimelineService } from './conversations/messages/timeline.service.js';
import { AccountDeletionService } from './conversations/participants/account-deletion.service.js';
import { DisplayNames } from './conversations/participants/display-names.js';
import { ParticipantsController } from './conversations/participants/participants.controller.js';
import { ParticipantsRepository } from './conversations/participants/participants.repository.js';
import { ParticipantsService } from './conversations/participants/participants.service.js';
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
