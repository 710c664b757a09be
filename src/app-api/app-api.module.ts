import { Global, Module } from '@nestjs/common';
import { LifeCycleRepository } from './store/life-cycle.repository.js';
import { ExAppRoutesRepository } from './store/ex-app-routes.repository.js';
import { DaemonsRepository } from './store/daemons.repository.js';
import { SealedAppValues } from './sealed-app-values.js';
import { LifecycleService } from './lifecycle.service.js';
import { LifeCyclePace } from './life-cycle-pace.js';
import { HeartbeatService } from './heartbeat.service.js';
import { HeartbeatSchedule } from './heartbeat.schedule.js';
import { DeclaredRoutesService } from './declared-routes.service.js';
import { ExAppsService } from './ex-apps.service.js';
import { DaemonsService } from './daemons.service.js';
import { AppClosures } from './app-closures.js';
import { AppLeases } from './app-leases.js';
import { InitStatusController } from './api/init-status.controller.js';
import { ExAppManagementController } from './api/ex-app-management.controller.js';
import { DaemonsController } from './api/daemons.controller.js';
import { AppsAdminController } from './api/apps-admin.controller.js';
import { AppCredentials } from '../common/ports/app-credentials.js';
import { SecretBox } from '../common/secrets/secret-box.js';
import { ConfigValuesController } from './api/config-values.controller.js';
import { DeadLettersController } from './api/dead-letters.controller.js';
import { HostAddressController } from './api/host-address.controller.js';
import { HostController } from './api/host.controller.js';
import { PreferencesController } from './api/preferences.controller.js';
import { StateController } from './api/state.controller.js';
import { AppCredentialsService } from './app-credentials.service.js';
import { ExAppClient } from './client/ex-app-client.js';
import { ConfigValuesService } from './config-values.service.js';
import { EventDeliveryService } from './event-delivery.service.js';
import { ExAppLog } from './ex-app-log.js';
import { GatewayCapabilities } from './gateway-capabilities.js';
import { PreferencesService } from './preferences.service.js';
import { ExAppsRepository } from './store/ex-apps.repository.js';
import { RegistrationsRepository } from './store/registrations.repository.js';
import { ServiceAddressesRepository } from './store/service-addresses.repository.js';
import { ServiceProbe } from './service-probe.js';
import { ValuesRepository } from './store/values.repository.js';
import { ExAppRequestsController } from './api/ex-app-requests.controller.js';
import { FileActionsController } from './api/file-actions.controller.js';
import { ProxyController } from './api/proxy.controller.js';
import { TalkProxyController } from './api/talk-proxy.controller.js';
import { CommandExecutionService } from './command-execution.service.js';
import { ExAppRequestsService } from './ex-app-requests.service.js';
import { FileActionsService } from './file-actions.service.js';
import { PassageEnds } from './proxy/passage-ends.js';
import { ProxyForwarder } from './proxy/proxy-forwarder.js';
import { GuessTurns } from './proxy/guess-turns.js';
import { ProxyGate } from './proxy/proxy-gate.js';
import { ProxyUpgrades } from './proxy/proxy-upgrades.js';
import { RegistrationsService } from './registrations.service.js';
import { TalkBotsService } from './talk-bots.service.js';
import { TalkBotWebhooksService } from './talk-bot-webhooks.service.js';
import { ChatBots } from '../common/ports/chat-bots.js';
import { SpeechToText } from '../common/ports/speech-to-text.js';
import { TextProcessing } from '../common/ports/text-processing.js';
import { Translation } from '../common/ports/translation.js';
import { TaskReportsController } from './api/task-reports.controller.js';
import { TextProcessingController } from './api/text-processing.controller.js';
import { QueuesController } from './api/queues.controller.js';
import { QueuesService } from './queues.service.js';
import { LogLinesRepository } from './store/log-lines.repository.js';
import { SpeechToTextController } from './api/speech-to-text.controller.js';
import { TranslationController } from './api/translation.controller.js';
import { SpeechToTextService } from './speech-to-text.service.js';
import { TasksRepository } from './store/tasks.repository.js';
import { TasksService } from './tasks.service.js';
import { TextProcessingService } from './text-processing.service.js';
import { TranslationService } from './translation.service.js';
import { TopMenuController } from './api/top-menu.controller.js';
import { InitialStatesController } from './api/initial-states.controller.js';
import { ScriptsController } from './api/scripts.controller.js';
import { StylesController } from './api/styles.controller.js';
import { FilesActionsMenuController } from './api/files-actions-menu.controller.js';
import { SettingsFormsController } from './api/settings-forms.controller.js';
import { DeclarativeSettingsController } from './api/declarative-settings.controller.js';
import { OccCommandsController } from './api/occ-commands.controller.js';
import { EventsListenersController } from './api/events-listeners.controller.js';
import { TranslationProvidersController } from './api/translation-providers.controller.js';
import { TextProcessingProvidersController } from './api/text-processing-providers.controller.js';
import { SpeechToTextProvidersController } from './api/speech-to-text-providers.controller.js';
import { TalkBotsController } from './api/talk-bots.controller.js';
import { AppNotificationsController } from './api/notifications.controller.js';
import { UiContributions } from '../common/ports/ui-contributions.js';
import { AppNotificationsService } from './app-notifications.service.js';
import { SettingsFormsService } from './settings-forms.service.js';
import { UiContributionsService } from './ui-contributions.service.js';

/** The gateway: external apps register here, and are called from here. */
@Global()
@Module({
  controllers: [
    // Before routes with a placeholder, which would take in its path.
    StateController,
    ConfigValuesController,
    HostAddressController,
    HostController,
    PreferencesController,
    DeadLettersController,
    TopMenuController,
    InitialStatesController,
    ScriptsController,
    StylesController,
    FilesActionsMenuController,
    SettingsFormsController,
    DeclarativeSettingsController,
    OccCommandsController,
    EventsListenersController,
    TranslationProvidersController,
    TextProcessingProvidersController,
    SpeechToTextProvidersController,
    TalkBotsController,
    AppNotificationsController,
    TaskReportsController,
    SpeechToTextController,
    TextProcessingController,
    TranslationController,
    InitStatusController,
    AppsAdminController,
    DaemonsController,
    QueuesController,
    ExAppRequestsController,
    FileActionsController,
    ProxyController,
    TalkProxyController,
    // Last: its list of apps takes in whatever name is left, such as "state".
    ExAppManagementController,
  ],
  providers: [
    SealedAppValues,
    SecretBox,
    AppCredentialsService,
    ConfigValuesService,
    ExAppLog,
    GatewayCapabilities,
    PreferencesService,
    ValuesRepository,
    { provide: AppCredentials, useExisting: AppCredentialsService },
    EventDeliveryService,
    SpeechToTextService,
    { provide: SpeechToText, useExisting: SpeechToTextService },
    TasksRepository,
    TasksService,
    TextProcessingService,
    { provide: TextProcessing, useExisting: TextProcessingService },
    TranslationService,
    { provide: Translation, useExisting: TranslationService },
    AppClosures,
    AppLeases,
    DaemonsRepository,
    DaemonsService,
    ExAppRoutesRepository,
    DeclaredRoutesService,
    ExAppsService,
    HeartbeatSchedule,
    HeartbeatService,
    LifeCyclePace,
    LifeCycleRepository,
    LifecycleService,
    LogLinesRepository,
    QueuesService,
    ServiceAddressesRepository,
    ServiceProbe,
    ExAppClient,
    CommandExecutionService,
    ExAppRequestsService,
    FileActionsService,
    PassageEnds,
    ProxyForwarder,
    GuessTurns,
    ProxyGate,
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
  exports: [AppCredentials, ChatBots, SpeechToText, TextProcessing, Translation, UiContributions],
})
export class AppApiModule {}
