import { AppChecks } from './apps/app-checks.js';
import { Global, Module } from '@nestjs/common';
import { LifecycleRepository } from './apps/lifecycle/lifecycle.repository.js';
import { ExAppRoutesRepository } from './proxy/ex-app-routes.repository.js';
import { DaemonsRepository } from './apps/daemons/daemons.repository.js';
import { SealedAppValues } from './sealed-app-values.js';
import { LifecycleService } from './apps/lifecycle/lifecycle.service.js';
import { LifecyclePace } from './apps/lifecycle/lifecycle-pace.js';
import { HeartbeatService } from './apps/lifecycle/heartbeat.service.js';
import { HeartbeatSchedule } from './apps/lifecycle/heartbeat.schedule.js';
import { DeclaredRoutesService } from './proxy/declared-routes.service.js';
import { ExAppsService } from './apps/ex-apps.service.js';
import { DaemonsService } from './apps/daemons/daemons.service.js';
import { ActivationService } from './apps/lifecycle/activation.service.js';
import { StartPlansService } from './apps/start-files/start-plans.service.js';
import { AppTrustRepository } from './apps/trust/app-trust.repository.js';
import { AppTrustService } from './apps/trust/app-trust.service.js';
import { AppLeases } from './apps/lifecycle/app-leases.js';
import { InitStatusController } from './apps/lifecycle/init-status.controller.js';
import { ExAppManagementController } from './apps/ex-app-management.controller.js';
import { DaemonsController } from './apps/daemons/daemons.controller.js';
import { AppsAdminController } from './apps/apps-admin.controller.js';
import { AppCredentials } from '../common/ports/app-credentials.js';
import { SecretBox } from '../common/secrets/secret-box.js';
import { ConfigValuesController } from './values/config-values.controller.js';
import { DeadLettersController } from './queues/dead-letters.controller.js';
import { HostAddressController } from './host/host-address.controller.js';
import { HostController } from './host/host.controller.js';
import { PreferencesController } from './values/preferences.controller.js';
import { StateController } from './apps/state.controller.js';
import { AppCredentialsService } from './apps/access/app-credentials.service.js';
import { ExAppClient } from './apps/client/ex-app-client.js';
import { ConfigValuesService } from './values/config-values.service.js';
import { NewsEventDeliveryService } from './events/news-event-delivery.service.js';
import { EventDeliveryService } from './events/event-delivery.service.js';
import { EventPosts } from './events/event-posts.js';
import { AppHistory } from './apps/log/app-history.js';
import { ExAppLog } from './apps/log/ex-app-log.js';
import { GatewayCapabilities } from './host/gateway-capabilities.js';
import { PreferencesService } from './values/preferences.service.js';
import { ExAppsRepository } from './apps/ex-apps.repository.js';
import { RegistrationsRepository } from './capabilities/registrations.repository.js';
import { ServiceAddressesRepository } from './host/service-addresses.repository.js';
import { ServiceProbe } from './host/service-probe.js';
import { ValuesRepository } from './values/values.repository.js';
import { ExAppRequestsController } from './requests/ex-app-requests.controller.js';
import { FileActionsController } from './file-actions/file-actions.controller.js';
import { ProxyController } from './proxy/proxy.controller.js';
import { TalkProxyController } from './bots/talk-proxy.controller.js';
import { CommandExecutionService } from './commands/command-execution.service.js';
import { ExAppRequestsService } from './requests/ex-app-requests.service.js';
import { FileActionsService } from './file-actions/file-actions.service.js';
import { ConnectionEnds } from './proxy/connection-ends.js';
import { ProxyForwarder } from './proxy/proxy-forwarder.js';
import { GuessTurns } from './proxy/guess-turns.js';
import { ProxyVisitors } from './proxy/proxy-visitors.js';
import { ProxyGate } from './proxy/proxy-gate.js';
import { ProxyUpgrades } from './proxy/proxy-upgrades.js';
import { CAPABILITY_CONTROLLERS } from './capabilities/capabilities.controller.js';
import { RegistrationsService } from './capabilities/registrations.service.js';
import { TalkBotsService } from './bots/talk-bots.service.js';
import { TalkBotWebhooksService } from './bots/talk-bot-webhooks.service.js';
import { ChatBots } from '../common/ports/chat-bots.js';
import { SpeechToText } from '../common/ports/speech-to-text.js';
import { TextProcessing } from '../common/ports/text-processing.js';
import { Translation } from '../common/ports/translation.js';
import { TaskReportsController } from './tasks/task-reports.controller.js';
import { TextProcessingController } from './tasks/text-processing.controller.js';
import { QueuesController } from './queues/queues.controller.js';
import { QueuesService } from './queues/queues.service.js';
import { LogLinesRepository } from './apps/log/log-lines.repository.js';
import { SpeechToTextController } from './tasks/speech-to-text.controller.js';
import { TranslationController } from './tasks/translation.controller.js';
import { SpeechToTextService } from './tasks/speech-to-text.service.js';
import { TasksRepository } from './tasks/tasks.repository.js';
import { TaskDeliveryService } from './tasks/task-delivery.service.js';
import { TasksService } from './tasks/tasks.service.js';
import { TextProcessingService } from './tasks/text-processing.service.js';
import { TranslationService } from './tasks/translation.service.js';
import { TaskMetrics } from './task-processing/administration/task-metrics.js';
import { TaskAdministration } from './task-processing/administration/task-administration.service.js';
import { TaskProcessingReports } from './task-processing/administration/task-processing-report.service.js';
import { TaskAdministrationController } from './task-processing/administration/task-administration.controller.js';
import { WatchedTasksRepository } from './task-processing/administration/watched-tasks.repository.js';
import { AppTasksController } from './task-processing/consumers/app-tasks.controller.js';
import { OwnTasksController } from './task-processing/consumers/own-tasks.controller.js';
import { OwnTasksRepository } from './task-processing/consumers/own-tasks.repository.js';
import { OwnTasksService } from './task-processing/consumers/own-tasks.service.js';
import { OlderTasks } from './task-processing/host/older-tasks.service.js';
import { SpeechTasks } from './task-processing/host/speech-tasks.service.js';
import { TextTasks } from './task-processing/host/text-tasks.service.js';
import { TranslationTasks } from './task-processing/host/translation-tasks.service.js';
import { TaskScheduler } from './task-processing/consumers/task-scheduler.service.js';
import { TaskDownloadsController } from './task-processing/files/task-downloads.controller.js';
import { TaskFilesRepository } from './task-processing/files/task-files.repository.js';
import { TaskFilesService } from './task-processing/files/task-files.service.js';
import { TaskUploadsController } from './task-processing/files/task-uploads.controller.js';
import { TaskCatalogue } from './task-processing/providers/task-catalogue.service.js';
import { TaskTypeSettingsRepository } from './task-processing/providers/task-type-settings.repository.js';
import { ProcessingTasksRepository } from './task-processing/queue/processing-tasks.repository.js';
import { ProviderTasksController } from './task-processing/queue/provider-tasks.controller.js';
import { TaskPollsController } from './task-processing/queue/task-polls.controller.js';
import { ScheduledTypes } from './task-processing/queue/scheduled-types-cache.js';
import { TaskLeasesSchedule } from './task-processing/queue/task-leases.schedule.js';
import { TaskTriggers } from './task-processing/queue/task-triggers.js';
import { TaskReports } from './task-processing/queue/task-reports.service.js';
import { TaskQueue } from './task-processing/queue/task-queue.service.js';
import { TaskWebhooks } from './task-processing/webhooks/task-webhooks.js';
import { DeclarativeSettingsController } from './settings-forms/declarative-settings.controller.js';
import { TalkBotsController } from './bots/talk-bots.controller.js';
import { AppNotificationsController } from './notifications/app-notifications.controller.js';
import { UiContributions } from '../common/ports/ui-contributions.js';
import { AppNotificationsService } from './notifications/app-notifications.service.js';
import { SettingsFormsService } from './settings-forms/settings-forms.service.js';
import { AppConsent } from '../common/ports/app-consent.js';
import { ConsentsController } from './consent/consents.controller.js';
import { ConsentsRepository } from './consent/consents.repository.js';
import { ConsentsService } from './consent/consents.service.js';
import { OwnConsentController } from './consent/own-consent.controller.js';
import { UiContributionsService } from './capabilities/ui-contributions.service.js';

/** The gateway to external apps (AppAPI). */
@Global()
@Module({
  controllers: [
    // Before routes with placeholders that match its path.
    StateController,
    ConfigValuesController,
    HostAddressController,
    HostController,
    PreferencesController,
    DeadLettersController,
    ConsentsController,
    OwnConsentController,
    ...CAPABILITY_CONTROLLERS,
    DeclarativeSettingsController,
    TalkBotsController,
    AppNotificationsController,
    TaskReportsController,
    TaskPollsController,
    ProviderTasksController,
    SpeechToTextController,
    TextProcessingController,
    TranslationController,
    OwnTasksController,
    AppTasksController,
    TaskDownloadsController,
    TaskUploadsController,
    InitStatusController,
    AppsAdminController,
    DaemonsController,
    QueuesController,
    TaskAdministrationController,
    ExAppRequestsController,
    FileActionsController,
    ProxyController,
    TalkProxyController,
    // Last: its placeholder would match other routes, such as "state".
    ExAppManagementController,
  ],
  providers: [
    SealedAppValues,
    SecretBox,
    AppCredentialsService,
    ConfigValuesService,
    ConsentsRepository,
    ConsentsService,
    { provide: AppConsent, useExisting: ConsentsService },
    AppHistory,
    ExAppLog,
    GatewayCapabilities,
    PreferencesService,
    ValuesRepository,
    { provide: AppCredentials, useExisting: AppCredentialsService },
    EventDeliveryService,
    EventPosts,
    NewsEventDeliveryService,
    SpeechToTextService,
    { provide: SpeechToText, useExisting: SpeechToTextService },
    TasksRepository,
    TaskDeliveryService,
    TasksService,
    TextProcessingService,
    { provide: TextProcessing, useExisting: TextProcessingService },
    OwnTasksRepository,
    OwnTasksService,
    TaskFilesRepository,
    TaskFilesService,
    TaskWebhooks,
    OlderTasks,
    SpeechTasks,
    TextTasks,
    TranslationTasks,
    TaskScheduler,
    TaskAdministration,
    TaskMetrics,
    TaskProcessingReports,
    TaskCatalogue,
    WatchedTasksRepository,
    TaskTypeSettingsRepository,
    ProcessingTasksRepository,
    TaskQueue,
    ScheduledTypes,
    TaskLeasesSchedule,
    TaskReports,
    TaskTriggers,
    TranslationService,
    { provide: Translation, useExisting: TranslationService },
    ActivationService,
    AppLeases,
    AppTrustRepository,
    AppTrustService,
    StartPlansService,
    DaemonsRepository,
    DaemonsService,
    ExAppRoutesRepository,
    DeclaredRoutesService,
    ExAppsService,
    HeartbeatSchedule,
    AppChecks,
    HeartbeatService,
    LifecyclePace,
    LifecycleRepository,
    LifecycleService,
    LogLinesRepository,
    QueuesService,
    ServiceAddressesRepository,
    ServiceProbe,
    ExAppClient,
    CommandExecutionService,
    ExAppRequestsService,
    FileActionsService,
    ConnectionEnds,
    ProxyForwarder,
    GuessTurns,
    ProxyGate,
    ProxyVisitors,
    ProxyUpgrades,
    TalkBotsService,
    RegistrationsService,
    TalkBotWebhooksService,
    { provide: ChatBots, useExisting: TalkBotWebhooksService },
    ExAppsRepository,
    RegistrationsRepository,
    AppNotificationsService,
    SettingsFormsService,
    UiContributionsService,
    { provide: UiContributions, useExisting: UiContributionsService },
  ],
  exports: [
    AppConsent,
    AppCredentials,
    ChatBots,
    SpeechToText,
    TextProcessing,
    Translation,
    UiContributions,
  ],
})
export class AppApiModule {}
