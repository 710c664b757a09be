import { Module } from '@nestjs/common';
import { BotAnswersController } from './api/bot-answers.controller.js';
import { BotsController } from './api/bots.controller.js';
import { MessagesController } from './api/messages.controller.js';
import { ParticipantsController } from './api/participants.controller.js';
import { ReactionsController } from './api/reactions.controller.js';
import { RoomsController } from './api/rooms.controller.js';
import { BotDeliveriesService } from './bot-deliveries.service.js';
import { BotsService } from './bots.service.js';
import { ChatCapabilities } from './chat-capabilities.js';
import { ChatNotificationsService } from './chat-notifications.service.js';
import { ChatSignals } from './chat-signals.js';
import { ConversationViewsService } from './conversation-views.service.js';
import { ConversationsService } from './conversations.service.js';
import { ErasureService } from './erasure.service.js';
import { MessagesService } from './messages.service.js';
import { ParticipantsService } from './participants.service.js';
import { People } from './people.js';
import { ReactionsService } from './reactions.service.js';
import { ReadMarkersService } from './read-markers.service.js';
import { BotsRepository } from './store/bots.repository.js';
import { ConversationsRepository } from './store/conversations.repository.js';
import { MessagesRepository } from './store/messages.repository.js';
import { ParticipantsRepository } from './store/participants.repository.js';
import { ReactionsRepository } from './store/reactions.repository.js';
import { TimelineService } from './timeline.service.js';
import { WaitingRoom } from './waiting-room.js';
import { Transcript } from './transcript.js';

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
