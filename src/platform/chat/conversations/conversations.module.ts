import { Subject } from '../../../common/subjects/subject.js';
import { GroupsModule } from '../../accounts/groups/groups.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { NotificationsModule } from '../../notifications/notifications.module.js';
import { CredentialsModule } from '../../sign-in/credentials/credentials.module.js';
import { ChatNotificationsService } from './chat-notifications.service.js';
import { ChatPart } from './chat-part.service.js';
import { ChatSignals } from './chat-signals.service.js';
import { ChatCapabilities } from './chat.capabilities.js';
import { ConversationCreationService } from './conversation-creation.service.js';
import { ConversationViewsService } from './conversation-views.service.js';
import { ConversationBotsOffer, ConversationWriter } from './conversation-writer.service.js';
import { ConversationsController } from './conversations.controller.js';
import { ConversationsService } from './conversations.service.js';
import { DisplayNames } from './display-names.service.js';
import { MentionsService } from './messages/mentions.service.js';
import { MessageChangesService } from './messages/message-changes.service.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessagesService } from './messages/messages.service.js';
import { ShownMessagesService } from './messages/shown-messages.service.js';
import { TimelineService } from './messages/timeline.service.js';
import {
  ConversationEntity,
  ConversationParticipantEntity,
  ChatMessageEntity,
  ChatReactionEntity,
} from './model/conversations.entity.js';
import { ConversationsRepository } from './model/conversations.repository.js';
import { MessagesRepository } from './model/messages.repository.js';
import { ParticipantsRepository } from './model/participants.repository.js';
import { ReactionsRepository } from './model/reactions.repository.js';
import { AccountDeletionService } from './participants/account-deletion.service.js';
import { ParticipantsController } from './participants/participants.controller.js';
import { ParticipantsService } from './participants/participants.service.js';
import { ReadMarkersService } from './participants/read-markers.service.js';
import { ReactionsController } from './reactions/reactions.controller.js';
import { ReactionsService } from './reactions/reactions.service.js';

/** Conversations with their participants, messages, reactions and read markers. */
@Subject({
  imports: [CredentialsModule, GroupsModule, NotificationsModule, UsersModule],
  controllers: [
    ConversationsController,
    MessagesController,
    ParticipantsController,
    ReactionsController,
  ],
  providers: [
    AccountDeletionService,
    ChatCapabilities,
    ChatNotificationsService,
    ChatPart,
    ChatSignals,
    ConversationBotsOffer,
    ConversationCreationService,
    ConversationViewsService,
    ConversationWriter,
    ConversationsRepository,
    ConversationsService,
    DisplayNames,
    MentionsService,
    MessageChangesService,
    MessagesRepository,
    MessagesService,
    ParticipantsRepository,
    ParticipantsService,
    ReactionsRepository,
    ReactionsService,
    ReadMarkersService,
    ShownMessagesService,
    TimelineService,
  ],
  exports: [
    ConversationBotsOffer,
    ConversationWriter,
    ConversationsRepository,
    ConversationsService,
    MessagesRepository,
    MessagesService,
    ParticipantsRepository,
    ReactionsService,
  ],
  entities: [
    ChatMessageEntity,
    ChatReactionEntity,
    ConversationEntity,
    ConversationParticipantEntity,
  ],
})
export class ConversationsModule {}
