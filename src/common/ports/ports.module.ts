import { Module } from '@nestjs/common';
import { AccountHoldsOffer } from './account-holds.js';
import { AccountTransferParts } from './account-transfer.js';
import { AdministrationLogOffer } from './administration-log.js';
import { AppConsentOffer } from './app-consent.js';
import { AppCredentialsOffer } from './app-credentials.js';
import { AppMessagesOffer } from './app-messages.js';
import { BackupContentsOffer } from './backup-contents.js';
import { Capabilities } from './capabilities.js';
import { ChatBotsOffer } from './chat-bots.js';
import { FileContentsOffer } from './file-contents.js';
import { FileNodesOffer } from './file-nodes.js';
import { GatewayThrottleOffer } from './gateway-throttle.js';
import { GroupBelongingsOffer } from './group-belongings.js';
import {
  AccountDeletionHooks,
  ExAppUninstallHooks,
  ListeningHooks,
  RestoreHooks,
} from './hooks.js';
import { InstallationChecks } from './installation-checks.js';
import { MergedItemUsersOffer } from './merged-items.js';
import { NewsEvents } from './news-events.js';
import { NewsEventSourceOffer } from './news-events.js';
import { NodeEvents } from './node-events.js';
import { NotificationSenders } from './notification-center.js';
import { SealedValues } from './sealed-values.js';
import { SessionsOffer } from './sessions.js';
import { SpeechToTextOffer } from './speech-to-text.js';
import { StorageUses } from './storage-use.js';
import { StoryExceptionsOffer } from './story-exceptions.js';
import { TextProcessingOffer } from './text-processing.js';
import { TranslationOffer } from './translation.js';
import { UiContributionsOffer } from './ui-contributions.js';
import { UserDirectoryOffer } from './user-directory.js';

/** Hooks, events and offers that lower subjects declare and higher ones register with. */
const PORTS = [
  AccountHoldsOffer,
  AccountTransferParts,
  AdministrationLogOffer,
  GatewayThrottleOffer,
  AppCredentialsOffer,
  SessionsOffer,
  UserDirectoryOffer,
  AccountDeletionHooks,
  FileContentsOffer,
  FileNodesOffer,
  AppConsentOffer,
  AppMessagesOffer,
  BackupContentsOffer,
  Capabilities,
  ChatBotsOffer,
  ExAppUninstallHooks,
  GroupBelongingsOffer,
  InstallationChecks,
  ListeningHooks,
  MergedItemUsersOffer,
  NewsEventSourceOffer,
  NewsEvents,
  NodeEvents,
  NotificationSenders,
  RestoreHooks,
  SealedValues,
  StorageUses,
  StoryExceptionsOffer,
  UiContributionsOffer,
  SpeechToTextOffer,
  TextProcessingOffer,
  TranslationOffer,
];

@Module({ providers: PORTS, exports: PORTS })
export class PortsModule {}
