import { UseInterceptors } from '@nestjs/common';
import { z } from 'zod';
import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import {
  looseBoolean,
  looseMap,
  orElse,
  wholeNumberThat,
} from '../../../common/http/loose-inputs.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { GatewayAuthGuard } from '../../apps/access/ocs-gateway-controller.decorator.js';
import { line, name } from '../../field-schemas.js';
import { type AvailableType, TaskCatalogue } from '../providers/task-catalogue.service.js';
import {
  ProcessingTaskAnswer,
  ProcessingTasksAnswer,
  toTaskJson,
} from '../queue/processing-task.wire.js';
import { TaskFailures } from '../task-failures.interceptor.js';
import { OwnTasksService } from './own-tasks.service.js';

/** Task types by id. */
const AvailableTypesAnswer = z.object({
  types: z.record(
    z.string(),
    z.object({
      name: z.string(),
      description: z.string(),
      inputShape: z.unknown(),
      inputShapeEnumValues: z.unknown(),
      inputShapeDefaults: z.unknown(),
      optionalInputShape: z.unknown(),
      optionalInputShapeEnumValues: z.unknown(),
      optionalInputShapeDefaults: z.unknown(),
      outputShape: z.unknown(),
      outputShapeEnumValues: z.unknown(),
      optionalOutputShape: z.unknown(),
      optionalOutputShapeEnumValues: z.unknown(),
      isInternal: z.boolean(),
    }),
  ),
});

const LONGEST_ID = 255;
const LONGEST_ADDRESS = 4000;

const flag = (fallback: boolean) => orElse(looseBoolean('must be a boolean'), fallback);

/** An absent, null or empty text is null. */
const textOrNull = (longest: number) =>
  z.preprocess((sent) => (sent === '' ? null : (sent ?? null)), line(longest).nullable());

/** A task that an app schedules for itself. */
const ScheduleOwn = z.object({
  input: looseMap(z.unknown(), 'must be an object of values'),
  type: name(LONGEST_ID),
  customId: orElse(line(LONGEST_ID), ''),
  webhookUri: textOrNull(LONGEST_ADDRESS),
  webhookMethod: textOrNull(LONGEST_ID),
  includeWatermark: flag(true),
  preferStreaming: flag(false),
});
type ScheduleOwn = z.output<typeof ScheduleOwn>;

const Schedule = ScheduleOwn.extend({ appId: name(LONGEST_ID) });
type Schedule = z.output<typeof Schedule>;

const OwnTaskPath = z.object({
  id: wholeNumberThat((int) => int.nonnegative()),
});
type OwnTaskPath = z.output<typeof OwnTaskPath>;

/** Filters of the list of the caller's tasks. */
const OwnTaskFilter = z
  .object({
    appId: textOrNull(LONGEST_ID),
    taskType: textOrNull(LONGEST_ID),
    customId: textOrNull(LONGEST_ID),
  })
  .transform(({ appId, taskType, customId }) => ({
    consumer: appId,
    typeId: taskType,
    customId,
  }));
type OwnTaskFilter = z.output<typeof OwnTaskFilter>;

const ofUser = ({ userId }: Account) => ({ userId, consumer: '' });

/**
 * Tasks of users: by themselves, or by an external app that acts for them.
 *
 * @see docs/app-api-tasks.md "Task processing"
 */
@OcsController('taskprocessing')
@UseInterceptors(TaskFailures)
export class OwnTasksController {
  constructor(
    private readonly tasks: OwnTasksService,
    private readonly catalogue: TaskCatalogue,
  ) {}

  @InTurn()
  @Get('tasktypes', 'Lists the types of tasks that can be scheduled.', AvailableTypesAnswer)
  async types() {
    return { types: toTypesJson(await this.catalogue.available()) };
  }

  @Post('schedule', 'Schedules a task.', ProcessingTaskAnswer)
  @TakesLargeBodies()
  async schedule(
    @CurrentUser() { userId }: Account,
    @CallingExApp() app: CallingApp | undefined,
    @Input(Schedule) { type: typeId, appId: consumer, ...rest }: Schedule,
  ) {
    const request = { ...rest, typeId, userId, consumer, callingAppId: app?.appId };
    return { task: toTaskJson(await this.tasks.schedule(request)) };
  }

  @InTurn()
  @Get('task/:id', 'Shows a task.', ProcessingTaskAnswer)
  async show(@CurrentUser() account: Account, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    return { task: toTaskJson(await this.tasks.find(ofUser(account), id)) };
  }

  /** Succeeds even if there is none. */
  @Delete('task/:id', 'Removes a task.', 'nothing')
  async remove(@CurrentUser() account: Account, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    await this.tasks.remove(ofUser(account), id);
    return null;
  }

  /** Newest first. */
  @InTurn()
  @Get(['tasks', 'tasks/app/:appId'], 'Lists the tasks of the caller.', ProcessingTasksAnswer)
  async list(@CurrentUser() account: Account, @Input(OwnTaskFilter) filter: OwnTaskFilter) {
    return { tasks: (await this.tasks.list(ofUser(account), filter)).map(toTaskJson) };
  }

  @Post('tasks/:id/cancel', 'Cancels a task.', ProcessingTaskAnswer)
  async cancel(@CurrentUser() account: Account, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    return { task: toTaskJson(await this.tasks.cancel(ofUser(account), id)) };
  }
}

/** The types that can be scheduled now, as consumers see them. Maps without entries are `{}`. */
function toTypesJson(types: ReadonlyMap<string, AvailableType>) {
  return Object.fromEntries([...types].map(([id, available]) => [id, toTypeJson(available)]));
}

function toTypeJson({ type, provider }: AvailableType) {
  return {
    name: type.name,
    description: type.description,
    inputShape: type.inputShape,
    inputShapeEnumValues: provider.inputEnumValues,
    inputShapeDefaults: provider.inputDefaults,
    optionalInputShape: provider.optionalInputShape,
    optionalInputShapeEnumValues: provider.optionalInputEnumValues,
    optionalInputShapeDefaults: provider.optionalInputDefaults,
    outputShape: type.outputShape,
    outputShapeEnumValues: provider.outputEnumValues,
    optionalOutputShape: provider.optionalOutputShape,
    optionalOutputShapeEnumValues: provider.optionalOutputEnumValues,
    isInternal: type.isInternal,
  };
}

const ofApp = ({ appId }: CallingApp) => ({ userId: null, consumer: appId });

/**
 * Tasks that external apps schedule for themselves, without a user. An app has only its own.
 *
 * @see docs/app-api-tasks.md "Task processing"
 */
@OcsController('taskprocessing/tasks_consumer', { guards: [GatewayAuthGuard] })
@UseInterceptors(TaskFailures)
export class AppTasksController {
  constructor(
    private readonly tasks: OwnTasksService,
    private readonly catalogue: TaskCatalogue,
  ) {}

  @InTurn()
  @Get('tasktypes', 'Lists the types of tasks that can be scheduled.', AvailableTypesAnswer)
  async types() {
    return { types: toTypesJson(await this.catalogue.available()) };
  }

  @Post('schedule', 'Schedules a task.', ProcessingTaskAnswer)
  @TakesLargeBodies()
  async schedule(
    @CallingExApp() app: CallingApp,
    @Input(ScheduleOwn) { type: typeId, ...rest }: ScheduleOwn,
  ) {
    const request = { ...rest, ...ofApp(app), typeId, callingAppId: app.appId };
    return { task: toTaskJson(await this.tasks.schedule(request)) };
  }

  @InTurn()
  @Get('task/:id', 'Shows a task.', ProcessingTaskAnswer)
  async show(@CallingExApp() app: CallingApp, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    return { task: toTaskJson(await this.tasks.find(ofApp(app), id)) };
  }

  /** Succeeds even if there is none. */
  @Delete('task/:id', 'Removes a task.', 'nothing')
  async remove(@CallingExApp() app: CallingApp, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    await this.tasks.remove(ofApp(app), id);
    return null;
  }

  /** Newest first. */
  @InTurn()
  @Get('tasks', 'Lists the tasks of the app.', ProcessingTasksAnswer)
  async list(@CallingExApp() app: CallingApp, @Input(OwnTaskFilter) filter: OwnTaskFilter) {
    return { tasks: (await this.tasks.list(ofApp(app), filter)).map(toTaskJson) };
  }

  @Post('tasks/:id/cancel', 'Cancels a task.', ProcessingTaskAnswer)
  async cancel(@CallingExApp() app: CallingApp, @Input(OwnTaskPath) { id }: OwnTaskPath) {
    return { task: toTaskJson(await this.tasks.cancel(ofApp(app), id)) };
  }
}
